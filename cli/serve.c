/* gofh serve: the live page. */
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/live.h"

#include <stddef.h>

static const char USAGE[] =
    "usage: gofh serve problem.yaml... [--port N] [--host NAME]\n"
    "\n"
    "Serves a page that follows up to 8 studies while they run, whichever process\n"
    "or node writes them: the best so far, runs under way and the end of their\n"
    "output, failures, all trials. It is served on 127.0.0.1 to those who know the\n"
    "printed address, which has a random token, until ^C. The studies are only read.\n"
    "  --port N     at this port, instead of one that is free\n"
    "  --host NAME  also answer requests that are addressed to NAME, as those of a\n"
    "               proxy may be\n";

int command_serve(int count, char **arguments)
{
    const char *paths[LIVE_STUDIES_MAX], *port = NULL, *host = NULL;
    long long number = 0;
    arguments_option options[] = {{"--port", NULL, &port}, {"--host", NULL, &host}, {0}};
    arguments_spec spec = {"serve", USAGE, options, paths, 1, LIVE_STUDIES_MAX, 0};
    int status = arguments_read(&spec, count, arguments);
    if (status != ARGUMENTS_GO_ON) return status;
    status = port ? arguments_number("serve", "--port", port, 1, 65535, &number) : EXIT_DONE;
    if (status) return status;
    const live_options live = {.command = "serve",
                               .paths = paths,
                               .count = spec.count,
                               .port = (int)number,
                               .host = host,
                               .parent = -1};
    return live_serve(&live);
}
