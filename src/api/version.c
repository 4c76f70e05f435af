#include "gofh.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *gofh_version(void)
{
    return VERSION_TEXT(GOFH_VERSION_MAJOR, GOFH_VERSION_MINOR, GOFH_VERSION_PATCH);
}
