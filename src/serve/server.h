/* A small HTTP server for one user of this machine: on 127.0.0.1, for requests that know its token. It
 * only answers GET, keeps no cookies and writes nothing. libmicrohttpd is known here alone; it has a
 * thread of its own, in which answers are made. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include "gofh.h"

enum { SERVE_TOKEN = 33 };

typedef struct serve_server serve_server;
typedef struct serve_request serve_request; /* valid during an answer */

/* A value of the request's query, such as "17" of "?trial=17"; NULL: it has none. */
const char *serve_query(const serve_request *request, const char *name);

/* What an answer is: bytes of malloc, which the server frees, and their type. */
typedef struct {
    char *bytes;
    size_t size;
    const char *type; /* "text/html; charset=utf-8" */
} serve_document;

/* Makes the document of a path such as "trial", without its slash. Returns an HTTP status: 200, 404
 * where there is no such thing, or 500. Called in the server's thread, one request at a time. */
typedef int (*serve_answer)(void *context, const char *path, const serve_request *request,
                            serve_document *document);

typedef struct {
    int port;                 /* 0: any that is free */
    const char *const *hosts; /* names that requests may be addressed to, besides this machine's own */
    int host_count;
    serve_answer answer;
    void *context;
} serve_options;

/* NULL with an error. */
serve_server *serve_open(const serve_options *options, gofh_error *error);
void serve_close(serve_server *server); /* NULL is fine */
int serve_port(const serve_server *server);
const char *serve_token(const serve_server *server);

/* Sends a line of text, without its end, to all pages that listen at "events", and to those that come
 * later. Returns 0, or -1: no memory. */
int serve_announce(serve_server *server, const char *text);
/* How many pages listen. */
int serve_listeners(serve_server *server);
/* To be called some times a second: ends connections whose requests do not come to an end, and keeps
 * the others alive. */
void serve_tick(serve_server *server);

#endif
