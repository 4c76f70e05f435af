/* gofh bench: the paper's experiments. */
#include "base/number.h"
#include "bench/batch.h"
#include "bench/coverage.h"
#include "bench/figures.h"
#include "bench/list.h"
#include "bench/profile.h"
#include "bench/results.h"
#include "bench/runner.h"
#include "bench/stop.h"
#include "bench/summary.h"
#include "cli/commands.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: gofh bench list [--json]\n"
    "       gofh bench run --problem P[,P] --method M[,M] --csv FILE [OPTIONS]\n"
    "       gofh bench table FILE... [--recommended]\n"
    "       gofh bench plot FILE... --out DIR [--recommended] | --figure1 --out DIR\n"
    "       gofh bench profile FILE... [--problem SET] [--out DIR]\n"
    "       gofh bench stop --problem P[,P] --csv FILE [OPTIONS]\n"
    "       gofh bench coverage --problem P[,P] --method M[,M] [OPTIONS]\n"
    "       gofh bench batch --problem P[,P] --method M[,M] --csv FILE [OPTIONS]\n"
    "run adds the replications that FILE lacks, each from 2(d+1) uniform points that\n"
    "all methods share; table prints means of log10 regret; plot draws them; profile\n"
    "prints how many problems are solved within k(d+1) evaluations, the design\n"
    "included; stop what stopping by itself spares and loses gofh; coverage which\n"
    "shares of f and of outputs lie in their intervals; batch the rounds that several\n"
    "evaluations at once take.\n"
    "  --problem P[,P]   or paper, mixed, more-wild, more-wild-even, more-wild-odd,\n"
    "                    more-wild-small, all\n"
    "  --method M[,M]    names of methods, or \"all\"\n"
    "  --reps R          replications (10); --first-rep K the first one's number (1)\n"
    "  --evals N         evaluations after the initial design (50)\n"
    "  --gradients K     instead: K(d+1) evaluations in all, the design included\n"
    "  --start           the problem's usual start is the first point of the design\n"
    "  --own-design      the method's default design; evaluations count from 2(d+1)\n"
    "  --seed S          of the whole run (1); --quiet shows no progress\n"
    "  --threads T       replications at once (1); changes no number\n"
    "  --draws one|many  replications of a drawn problem share a draw or not (many)\n"
    "  --no-recommend    no regret of recommended points, which takes time\n"
    "  --at-once Q[,Q]   in batch, evaluations at once (1,4,16)\n"
    "  --recommended     in table and plot, the regret of the recommended points\n";

static int usage_error(const char *format, ...)
{
    fputs("gofh bench: ", stderr);
    va_list arguments;
    va_start(arguments, format);
    number_print_list(stderr, format, arguments);
    va_end(arguments);
    fputs("; see gofh bench --help\n", stderr);
    return EXIT_USAGE;
}

static int exit_status(gofh_status status, const gofh_error *error)
{
    if (status == GOFH_OK) return EXIT_DONE;
    if (status == GOFH_STOP_CALLER) return EXIT_INTERRUPTED;
    fprintf(stderr, "gofh bench: %s\n", error->status ? error->message : gofh_status_text(status));
    if (status == GOFH_ERROR_ARGUMENT) return EXIT_USAGE;
    return status == GOFH_ERROR_SYSTEM ? EXIT_STUDY : EXIT_NO_RESULT;
}

/* ---- Reading arguments ---- */

static int read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value >= least && *value <= most)
        return EXIT_DONE;
    return usage_error("the value \"%s\" of %s is not a whole number from %llu to %llu", text, option,
                       (unsigned long long)least, (unsigned long long)most);
}

static int read_int(const char *option, const char *text, int least, int most, int *value)
{
    uint64_t number;
    int status = read_number(option, text, (uint64_t)least, (uint64_t)most, &number);
    if (!status) *value = (int)number;
    return status;
}

/* ---- gofh bench run ---- */

enum { NAMES_MAX = 128 };

typedef struct {
    bench_plan plan;
    const bench_problem *problems[NAMES_MAX];
    const char *methods[NAMES_MAX];
} request;

static const char *find_method(const char *name)
{
    for (int i = 0; gofh_method_name(i); i++)
        if (strcmp(gofh_method_name(i), name) == 0) return gofh_method_name(i);
    for (int i = 0; gofh_method_variant(i); i++)
        if (strcmp(gofh_method_variant(i), name) == 0) return gofh_method_variant(i);
    return NULL;
}

static int add_problem(request *r, const bench_problem *problem)
{
    for (int i = 0; i < r->plan.problem_count; i++)
        if (r->problems[i] == problem) return EXIT_DONE;
    if (r->plan.problem_count == NAMES_MAX) return usage_error("there are too many problems");
    r->problems[r->plan.problem_count++] = problem;
    return EXIT_DONE;
}

static int add_problems(request *r, const char *name)
{
    const bench_problem *problem = bench_problem_find(name);
    if (problem) return add_problem(r, problem);
    if (bench_problem_in_set(0, name) < 0)
        return usage_error("there is no problem \"%s\"; gofh bench list prints them", name);
    int status = EXIT_DONE;
    for (int i = 0; !status && bench_problem_at(i); i++)
        if (bench_problem_in_set(i, name)) status = add_problem(r, bench_problem_at(i));
    return status;
}

static int add_method(request *r, const char *method)
{
    for (int i = 0; i < r->plan.method_count; i++)
        if (r->methods[i] == method) return EXIT_DONE;
    if (r->plan.method_count == NAMES_MAX) return usage_error("there are too many methods");
    r->methods[r->plan.method_count++] = method;
    return EXIT_DONE;
}

static int unknown_method(const char *name)
{
    char known[512] = "";
    for (int i = 0; gofh_method_name(i); i++) {
        size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", i ? " " : "", gofh_method_name(i));
    }
    return usage_error("there is no method \"%s\"; there are: %s", name, known);
}

static int add_methods(request *r, const char *name)
{
    int status = EXIT_DONE;
    if (strcmp(name, "all") == 0) {
        for (int i = 0; !status && gofh_method_name(i); i++) status = add_method(r, gofh_method_name(i));
        return status;
    }
    const char *method = find_method(name);
    return method ? add_method(r, method) : unknown_method(name);
}

/* Each of the names between commas. Cuts the list up. */
static int add_each(request *r, char *list, int (*add)(request *r, const char *name))
{
    int status = EXIT_DONE;
    for (char *name = list; name && !status;) {
        char *comma = strchr(name, ',');
        if (comma) *comma++ = '\0';
        status = add(r, name);
        name = comma;
    }
    return status;
}

static int read_draws(const char *text, int *one_draw)
{
    *one_draw = strcmp(text, "one") == 0;
    if (*one_draw || strcmp(text, "many") == 0) return EXIT_DONE;
    return usage_error("--draws is one or many, not \"%s\"", text);
}

static int read_option(request *r, const char *option, char *value)
{
    enum { EVALUATIONS_MAX = 10000, GRADIENTS_MAX = 1000, REPLICATIONS_MAX = 1000000, THREADS_MAX = 1024 };
    bench_plan *plan = &r->plan;
    if (strcmp(option, "--problem") == 0) return add_each(r, value, add_problems);
    if (strcmp(option, "--method") == 0) return add_each(r, value, add_methods);
    if (strcmp(option, "--reps") == 0) return read_int(option, value, 1, REPLICATIONS_MAX, &plan->reps);
    if (strcmp(option, "--first-rep") == 0)
        return read_int(option, value, 0, REPLICATIONS_MAX, &plan->first_rep);
    if (strcmp(option, "--evals") == 0)
        return read_int(option, value, 0, EVALUATIONS_MAX, &plan->evaluations);
    if (strcmp(option, "--gradients") == 0)
        return read_int(option, value, 2, GRADIENTS_MAX, &plan->gradients);
    if (strcmp(option, "--seed") == 0) return read_number(option, value, 0, UINT64_MAX, &plan->seed);
    if (strcmp(option, "--threads") == 0) return read_int(option, value, 1, THREADS_MAX, &plan->threads);
    if (strcmp(option, "--draws") == 0) return read_draws(value, &plan->one_draw);
    if (strcmp(option, "--csv") == 0) {
        plan->csv = value;
        return EXIT_DONE;
    }
    return usage_error("unexpected \"%s\"", option);
}

static int read_request(request *r, int count, char **arguments)
{
    int status = EXIT_DONE;
    for (int i = 0; i < count && !status; i++) {
        if (strcmp(arguments[i], "--no-recommend") == 0)
            r->plan.recommend = 0;
        else if (strcmp(arguments[i], "--quiet") == 0)
            r->plan.quiet = 1;
        else if (strcmp(arguments[i], "--start") == 0)
            r->plan.start = 1;
        else if (strcmp(arguments[i], "--own-design") == 0)
            r->plan.own_design = 1;
        else if (i + 1 < count)
            status = read_option(r, arguments[i], arguments[i + 1]), i++;
        else if (strncmp(arguments[i], "--", 2) == 0)
            status = usage_error("%s has no value, or is unknown", arguments[i]);
        else
            status = usage_error("unexpected \"%s\"", arguments[i]);
    }
    if (status) return status;
    if (r->plan.problem_count == 0) return usage_error("--problem is missing");
    for (int i = 0; i < r->plan.problem_count && r->plan.start; i++)
        if (!r->problems[i]->start)
            return usage_error("--start needs problems that have a start, as those of more-wild; %s has none",
                               r->problems[i]->name);
    return EXIT_DONE;
}

static atomic_int interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    atomic_store(&interrupted, 1);
}

static const char GO_ON[] = "\ngofh bench: interrupted; the same command goes on from here\n";

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int open_request(request *r, int count, char **arguments)
{
    *r = (request){
        .plan = {.reps = 10, .first_rep = 1, .evaluations = 50, .seed = 1, .threads = 1, .recommend = 1}};
    r->plan.problems = r->problems;
    r->plan.methods = r->methods;
    return read_request(r, count, arguments);
}

static int bench_command_run(int count, char **arguments)
{
    request r;
    int status = open_request(&r, count, arguments);
    if (status) return status;
    if (r.plan.method_count == 0) return usage_error("--method is missing");
    if (!r.plan.csv) return usage_error("--csv is missing");
    catch_signals();
    gofh_error error = {0};
    gofh_status outcome = bench_run(&r.plan, &interrupted, &error);
    if (outcome == GOFH_STOP_CALLER) fputs(GO_ON, stderr);
    return exit_status(outcome, &error);
}

static int command_stop(int count, char **arguments)
{
    request r;
    int status = open_request(&r, count, arguments);
    if (status) return status;
    if (!r.plan.csv) return usage_error("--csv is missing");
    if (r.plan.method_count || r.plan.gradients || r.plan.start || r.plan.own_design || r.plan.threads > 1)
        return usage_error(
            "stop is of gofh alone: it takes no --method, --gradients, --start, --own-design or "
            "--threads");
    catch_signals();
    gofh_error error = {0};
    gofh_status outcome = bench_stop(&r.plan, &interrupted, stdout, &error);
    if (outcome == GOFH_STOP_CALLER) fputs(GO_ON, stderr);
    return exit_status(outcome, &error);
}

static int command_coverage(int count, char **arguments)
{
    request r;
    int status = open_request(&r, count, arguments);
    if (status) return status;
    if (r.plan.method_count == 0) return usage_error("--method is missing");
    catch_signals();
    gofh_error error = {0};
    return exit_status(bench_coverage(stdout, &r.plan, &interrupted, &error), &error);
}

/* Whole numbers between commas. */
static int read_sizes(char *list, bench_sizes *sizes)
{
    enum { AT_ONCE_MAX = 256 };
    sizes->count = 0;
    for (char *next; list; list = next) {
        next = strchr(list, ',');
        if (next) *next++ = '\0';
        if (sizes->count == BENCH_SIZES) return usage_error("--at-once has at most %d numbers", BENCH_SIZES);
        int status = read_int("--at-once", list, 1, AT_ONCE_MAX, &sizes->at_once[sizes->count++]);
        if (status) return status;
    }
    return EXIT_DONE;
}

static int command_batch(int count, char **arguments)
{
    bench_sizes sizes = {.count = 3, .at_once = {1, 4, 16}};
    int kept = 0, status = EXIT_DONE;
    for (int i = 0; i < count && !status; i++)
        if (strcmp(arguments[i], "--at-once") == 0 && i + 1 < count)
            status = read_sizes(arguments[++i], &sizes);
        else
            arguments[kept++] = arguments[i];
    request r;
    if (!status) status = open_request(&r, kept, arguments);
    if (status) return status;
    if (r.plan.method_count == 0) return usage_error("--method is missing");
    if (!r.plan.csv) return usage_error("--csv is missing");
    if (r.plan.gradients || r.plan.start || r.plan.own_design || r.plan.threads > 1)
        return usage_error("batch takes no --gradients, --start, --own-design or --threads");
    catch_signals();
    gofh_error error = {0};
    gofh_status outcome = bench_batch(&r.plan, &sizes, &interrupted, stdout, &error);
    if (outcome == GOFH_STOP_CALLER) fputs(GO_ON, stderr);
    return exit_status(outcome, &error);
}

/* ---- gofh bench list, table, plot, profile ---- */

static int command_list(int count, char **arguments)
{
    int json = count == 1 && strcmp(arguments[0], "--json") == 0;
    if (count > json) return usage_error("unexpected \"%s\"", arguments[0]);
    gofh_error none = {0};
    return exit_status(json ? bench_list_json(stdout) : bench_list(stdout), &none);
}

typedef struct {
    const char *out, *set;
    int recommended, figure1;
    bench_results results;
    int files;
} selection;

typedef enum { TABLE, PLOT, PROFILE } selected_for;

static int select_results(selection *s, int count, char **arguments, selected_for what)
{
    gofh_error error = {0};
    gofh_status status = GOFH_OK;
    for (int i = 0; i < count && !status; i++) {
        if (what != PROFILE && strcmp(arguments[i], "--recommended") == 0) {
            s->recommended = 1;
        } else if (what == PLOT && strcmp(arguments[i], "--figure1") == 0) {
            s->figure1 = 1;
        } else if (what != TABLE && strcmp(arguments[i], "--out") == 0 && i + 1 < count) {
            s->out = arguments[++i];
        } else if (what == PROFILE && strcmp(arguments[i], "--problem") == 0 && i + 1 < count) {
            s->set = arguments[++i];
        } else if (strncmp(arguments[i], "--", 2) == 0) {
            return usage_error("unexpected \"%s\"", arguments[i]);
        } else {
            status = bench_results_read(&s->results, arguments[i], NULL, &error);
            s->files++;
        }
    }
    if (!status) status = bench_results_sort(&s->results);
    if (status) return exit_status(status == GOFH_ERROR_SYSTEM ? GOFH_ERROR_ARGUMENT : status, &error);
    if (s->files == 0 && !s->figure1) return usage_error("there is no FILE to read");
    return what == PLOT && !s->out ? usage_error("--out is missing") : EXIT_DONE;
}

static int command_table(int count, char **arguments)
{
    selection s = {0};
    gofh_error none = {0};
    int status = select_results(&s, count, arguments, TABLE);
    if (!status) {
        bench_summary summary;
        gofh_status outcome = bench_summarise(&summary, &s.results, s.recommended);
        if (!outcome) {
            bench_print_table(stdout, &summary);
            bench_summary_free(&summary);
        }
        status = exit_status(outcome, &none);
    }
    bench_results_free(&s.results);
    return status;
}

static int command_plot(int count, char **arguments)
{
    selection s = {0};
    int status = select_results(&s, count, arguments, PLOT);
    if (!status) {
        gofh_error error = {0};
        gofh_status outcome = GOFH_OK;
        if (s.figure1) outcome = bench_plot_figure1(s.out, &error);
        if (!outcome && s.files) outcome = bench_plot_results(&s.results, s.recommended, s.out, &error);
        status = exit_status(outcome, &error);
    }
    bench_results_free(&s.results);
    return status;
}

static int command_profile(int count, char **arguments)
{
    selection s = {.set = "more-wild"};
    int status = select_results(&s, count, arguments, PROFILE);
    if (!status && !bench_problem_find(s.set) && bench_problem_in_set(0, s.set) < 0)
        status = usage_error("there is no problem \"%s\"; gofh bench list prints them", s.set);
    if (!status) {
        bench_profiles profiles;
        gofh_error error = {0};
        gofh_status outcome = bench_profiles_make(&profiles, &s.results, s.set, &error);
        if (!outcome) {
            bench_print_profiles(stdout, &profiles);
            if (s.out) outcome = bench_plot_profiles(&profiles, s.set, s.out, &error);
            bench_profiles_free(&profiles);
        }
        status = exit_status(outcome, &error);
    }
    bench_results_free(&s.results);
    return status;
}

int command_bench(int count, char **arguments)
{
    static const struct {
        const char *name;
        int (*run)(int count, char **arguments);
    } commands[] = {{"list", command_list},         {"run", bench_command_run},   {"table", command_table},
                    {"plot", command_plot},         {"profile", command_profile}, {"stop", command_stop},
                    {"coverage", command_coverage}, {"batch", command_batch}};
    if (count < 2) return usage_error("list, run, table, plot, profile, stop, coverage or batch?");
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--help") == 0) {
            fputs(USAGE, stdout);
            return EXIT_DONE;
        }
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(arguments[1], commands[i].name) == 0) return commands[i].run(count - 2, arguments + 2);
    return usage_error("there is no \"gofh bench %s\"", arguments[1]);
}
