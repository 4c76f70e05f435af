/* The style and the script of the live page, which are files of this folder (cmake/embed.cmake). */
#ifndef SERVE_TEXTS_H
#define SERVE_TEXTS_H

extern const char LIVE_STYLE[], LIVE_SCRIPT[];

#endif
