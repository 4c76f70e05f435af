#include "serve/server.h"

#include "base/error.h"
#include "base/letters.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum {
    CONNECTIONS_MAX = 512,
    REQUEST_BYTES = 16 * 1024, /* of a request's line and headers */
    IDLE_SECONDS = 60,
    REQUEST_SECONDS = 10, /* that a request may take to arrive */
    ALIVE_SECONDS = 15,   /* between signs of life to those that listen */
    EVENT_MAX = 4096
};

/* Everything that a page loads is ours, and nothing in it runs but our scripts. */
static const char POLICY[] =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src "
    "'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/* A page that listens. */
typedef struct listener {
    struct listener *next;
    serve_server *server;
    struct MHD_Connection *connection;
    long long seen; /* the number of the last event that it got */
    double alive;   /* when it got anything */
    int suspended;
    char text[EVENT_MAX + 32]; /* what it is being sent, from `sent` on */
    size_t length, sent;
} listener;

/* A connection, from its beginning to its end. */
typedef struct client {
    struct client *next;
    int descriptor;
    double since; /* when the request at hand began; 0: none is awaited */
} client;

struct serve_server {
    struct MHD_Daemon *daemon;
    serve_answer answer;
    void *context;
    const char *const *hosts;
    int host_count;
    int port;
    char token[SERVE_TOKEN];
    pthread_mutex_t lock; /* of what follows */
    listener *listeners;
    client *clients;
    char event[EVENT_MAX];
    long long event_number;
    int closing;
};

struct serve_request {
    struct MHD_Connection *connection;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

const char *serve_query(const serve_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* ---- Who may ask ---- */

static gofh_status make_token(char token[SERVE_TOKEN], gofh_error *error)
{
    unsigned char random[(SERVE_TOKEN - 1) / 2];
    FILE *source = fopen("/dev/urandom", "rb");
    size_t read = source ? fread(random, 1, sizeof random, source) : 0;
    if (source) fclose(source);
    if (read != sizeof random)
        return error_set(error, GOFH_ERROR_SYSTEM, "/dev/urandom can't be read: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++) snprintf(token + 2 * i, 3, "%02x", random[i]);
    return GOFH_OK;
}

/* In a time that does not tell where the first difference is. */
static int is_token(const serve_server *server, const char *given)
{
    unsigned difference = 0;
    if (!given || strlen(given) != SERVE_TOKEN - 1) return 0;
    for (size_t i = 0; i < SERVE_TOKEN - 1; i++) difference |= (unsigned)(given[i] ^ server->token[i]);
    return difference == 0;
}

/* The name of a Host header, whatever its port: that of a tunnel is another than ours. A page of
 * somebody else's, whose name was made to lead to this machine, is addressed by that name. */
static int is_host(const serve_server *server, const char *host)
{
    static const char *const own[] = {"127.0.0.1", "localhost", "[::1]"};
    if (!host) return 0;
    const char *end = *host == '[' ? strchr(host, ']') : strchr(host, ':');
    size_t length = !end ? strlen(host) : *host == '[' ? (size_t)(end - host) + 1 : (size_t)(end - host);
    const char *port = host + length;
    if (*port && (*port != ':' || strspn(port + 1, "0123456789") != strlen(port + 1))) return 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strlen(own[i]) == length && letters_alike(own[i], host, length)) return 1;
    for (int i = 0; i < server->host_count; i++)
        if (strlen(server->hosts[i]) == length && letters_alike(server->hosts[i], host, length)) return 1;
    return 0;
}

/* ---- Answers ---- */

static enum MHD_Result respond(struct MHD_Connection *connection, int status, struct MHD_Response *response,
                               const char *type)
{
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Content-Security-Policy", POLICY);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(response, "Allow", "GET");
    /* A request that is refused may have a body, which nobody reads. */
    if (status != MHD_HTTP_OK) MHD_add_response_header(response, "Connection", "close");
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, int status, const char *why)
{
    return respond(connection, status,
                   MHD_create_response_from_buffer(strlen(why), (void *)why, MHD_RESPMEM_MUST_COPY),
                   "text/plain; charset=utf-8");
}

/* ---- Events ---- */

/* What a listener gets next, if there is anything. */
static int prepare_event(listener *l, double time)
{
    serve_server *server = l->server;
    l->sent = l->length = 0;
    if (l->seen < server->event_number) {
        l->seen = server->event_number;
        l->length = (size_t)snprintf(l->text, sizeof l->text, "data: %s\n\n", server->event);
    } else if (time - l->alive >= ALIVE_SECONDS) {
        l->length = (size_t)snprintf(l->text, sizeof l->text, ": still here\n\n");
    } else {
        return 0;
    }
    l->alive = time;
    return 1;
}

static ssize_t read_events(void *context, uint64_t position, char *buffer, size_t most)
{
    listener *l = context;
    serve_server *server = l->server;
    ssize_t written = 0;
    (void)position;
    pthread_mutex_lock(&server->lock);
    if (server->closing) {
        written = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (l->sent < l->length || prepare_event(l, now())) {
        size_t count = l->length - l->sent < most ? l->length - l->sent : most;
        memcpy(buffer, l->text + l->sent, count);
        l->sent += count;
        written = (ssize_t)count;
    } else {
        l->suspended = 1;
        MHD_suspend_connection(l->connection);
    }
    pthread_mutex_unlock(&server->lock);
    return written;
}

static void forget_listener(void *context)
{
    listener *gone = context;
    serve_server *server = gone->server;
    pthread_mutex_lock(&server->lock);
    for (listener **at = &server->listeners; *at; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            break;
        }
    pthread_mutex_unlock(&server->lock);
    free(gone);
}

static enum MHD_Result listen_to(serve_server *server, struct MHD_Connection *connection)
{
    listener *l = memory_new(1, sizeof *l);
    if (!l) return MHD_NO;
    *l = (listener){.server = server, .connection = connection, .seen = -1, .alive = now()};
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, read_events, l,
                                                                      forget_listener);
    if (!response) {
        free(l);
        return MHD_NO;
    }
    pthread_mutex_lock(&server->lock);
    l->next = server->listeners;
    server->listeners = l;
    pthread_mutex_unlock(&server->lock);
    MHD_add_response_header(response, "X-Accel-Buffering", "no");
    return respond(connection, MHD_HTTP_OK, response, "text/event-stream");
}

/* Wakes those that wait; `all`, or the ones for which there is something. */
static void wake(serve_server *server, int all)
{
    double time = now();
    for (listener *l = server->listeners; l; l = l->next) {
        if (!l->suspended) continue;
        if (!all && l->seen >= server->event_number && time - l->alive < ALIVE_SECONDS) continue;
        l->suspended = 0;
        MHD_resume_connection(l->connection);
    }
}

int serve_announce(serve_server *server, const char *text)
{
    if (strlen(text) >= EVENT_MAX) return -1;
    pthread_mutex_lock(&server->lock);
    snprintf(server->event, sizeof server->event, "%s", text);
    server->event_number++;
    wake(server, 0);
    pthread_mutex_unlock(&server->lock);
    return 0;
}

int serve_listeners(serve_server *server)
{
    int count = 0;
    pthread_mutex_lock(&server->lock);
    for (const listener *l = server->listeners; l; l = l->next) count++;
    pthread_mutex_unlock(&server->lock);
    return count;
}

/* ---- Connections ---- */

static void watch_connection(void *context, struct MHD_Connection *connection, void **own,
                             enum MHD_ConnectionNotificationCode code)
{
    serve_server *server = context;
    client *c = *own;
    pthread_mutex_lock(&server->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection,
                                                                       MHD_CONNECTION_INFO_CONNECTION_FD);
        *own = c = memory_new(1, sizeof *c);
        if (c && info) {
            *c = (client){.next = server->clients, .descriptor = info->connect_fd, .since = now()};
            server->clients = c;
        }
    } else if (c) {
        for (client **at = &server->clients; *at; at = &(*at)->next)
            if (*at == c) {
                *at = c->next;
                break;
            }
        free(c);
        *own = NULL;
    }
    pthread_mutex_unlock(&server->lock);
}

/* The request of a connection has arrived, or the next one is awaited. */
static void note_request(serve_server *server, struct MHD_Connection *connection, int awaited)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection,
                                                                   MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    client *c = info ? info->socket_context : NULL;
    pthread_mutex_lock(&server->lock);
    if (c) c->since = awaited ? now() + IDLE_SECONDS : 0.0;
    pthread_mutex_unlock(&server->lock);
}

static void request_over(void *context, struct MHD_Connection *connection, void **own,
                         enum MHD_RequestTerminationCode code)
{
    (void)own;
    (void)code;
    note_request(context, connection, 1);
}

void serve_tick(serve_server *server)
{
    double time = now();
    pthread_mutex_lock(&server->lock);
    for (client *c = server->clients; c; c = c->next)
        if (c->since > 0.0 && time - c->since > REQUEST_SECONDS) {
            shutdown(c->descriptor, SHUT_RDWR);
            c->since = 0.0;
        }
    wake(server, 0);
    pthread_mutex_unlock(&server->lock);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *body, size_t *size,
                              void **own)
{
    serve_server *server = context;
    const serve_request request = {connection};
    serve_document document = {NULL, 0, "text/html; charset=utf-8"};
    static int begun;
    (void)version;
    (void)body;
    if (strcmp(method, "GET") != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is answered\n");
    if (!is_host(server, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "the request is addressed to another host\n");
    if (!is_token(server, serve_query(&request, "token")))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "the token of the address is missing or wrong\n");
    /* The first call is after the headers, the second after the body, which a GET has none of. */
    if (!*own) {
        *own = &begun;
        return MHD_YES;
    }
    note_request(server, connection, 0);
    if (*size) return MHD_NO;
    if (strcmp(url, "/events") == 0) return listen_to(server, connection);
    int status = server->answer(server->context, url + (*url == '/'), &request, &document);
    if (status != MHD_HTTP_OK) {
        free(document.bytes);
        return refuse(connection, status,
                      status == MHD_HTTP_NOT_FOUND ? "there is no such page\n"
                                                   : "there is no memory for it\n");
    }
    return respond(connection, status,
                   MHD_create_response_from_buffer(document.size, document.bytes, MHD_RESPMEM_MUST_FREE),
                   document.type);
}

/* ---- The server ---- */

serve_server *serve_open(const serve_options *options, gofh_error *error)
{
    serve_server *server = memory_new(1, sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!server) {
        error_memory(error);
        return NULL;
    }
    server->answer = options->answer;
    server->context = options->context;
    server->hosts = options->hosts;
    server->host_count = options->host_count;
    if (make_token(server->token, error) || pthread_mutex_init(&server->lock, NULL)) {
        free(server);
        return NULL;
    }
    errno = 0;
    server->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle,
        server, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_BYTES, MHD_OPTION_NOTIFY_CONNECTION, watch_connection, server,
        MHD_OPTION_NOTIFY_COMPLETED, request_over, server, MHD_OPTION_END);
    const union MHD_DaemonInfo *info = server->daemon
                                           ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)
                                           : NULL;
    if (info) {
        server->port = info->port;
        return server;
    }
    if (options->port)
        error_set(error, GOFH_ERROR_SYSTEM, "port %d of 127.0.0.1 can't be used: %s", options->port,
                  errno ? strerror(errno) : "no reason is given");
    else
        error_set(error, GOFH_ERROR_SYSTEM, "no port of 127.0.0.1 can be used: %s", strerror(errno));
    serve_close(server);
    return NULL;
}

void serve_close(serve_server *server)
{
    if (!server) return;
    pthread_mutex_lock(&server->lock);
    server->closing = 1;
    wake(server, 1);
    pthread_mutex_unlock(&server->lock);
    if (server->daemon) MHD_stop_daemon(server->daemon);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

int serve_port(const serve_server *server)
{
    return server->port;
}

const char *serve_token(const serve_server *server)
{
    return server->token;
}
