#include "gofh.h"

const char *gofh_status_text(gofh_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text)                                                                       \
    case name:                                                                                               \
        return text;
        GOFH_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}
