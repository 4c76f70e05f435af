#include "cli/message.h"

#include "base/number.h"
#include "report/progress.h"

#include <stdarg.h>
#include <stdlib.h>

static struct {
    void (*clear)(void *context);
    void *context;
} live_lines;

void message_make_way(void (*clear)(void *context), void *context)
{
    live_lines.clear = clear;
    live_lines.context = context;
}

void message_print(FILE *file, const char *format, ...)
{
    char *text = NULL;
    size_t size = 0;
    va_list arguments, again;
    if (live_lines.clear) live_lines.clear(live_lines.context);
    progress_style style = progress_detect(file);
    FILE *memory = style.terminal ? open_memstream(&text, &size) : NULL;
    va_start(arguments, format);
    va_copy(again, arguments);
    if (memory) number_print_list(memory, format, arguments);
    if (memory && fclose(memory) == 0)
        progress_wrap(file, text, style.columns);
    else
        number_print_list(file, format, again); /* there is no memory, or nothing to wrap */
    va_end(again);
    va_end(arguments);
    free(text);
}
