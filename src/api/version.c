#include "gofh.h"

#define TEXT_OF(number)             #number
#define JOINED(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *gofh_version(void)
{
    return JOINED(GOFH_VERSION_MAJOR, GOFH_VERSION_MINOR, GOFH_VERSION_PATCH);
}
