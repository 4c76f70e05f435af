/* What has to happen before the libraries are initialised, and its end. */
#ifndef CLI_EARLY_H
#define CLI_EARLY_H

/* To be called first in main. */
void early_restore(void);

#endif
