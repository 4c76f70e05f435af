#ifndef API_SETTINGS_H
#define API_SETTINGS_H

#include "gofh.h"

/* Takes the caller's settings, which may come from an older and shorter version of the struct (the
 * rest are defaults) or be NULL (all are), and checks them. */
gofh_status settings_take(const gofh_settings *given, gofh_settings *settings, gofh_error *error);

#endif
