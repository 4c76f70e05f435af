/* Runs as processes of this machine. */
#ifndef RUN_LOCAL_H
#define RUN_LOCAL_H

#include "run/executor.h"

#define LOCAL_STDOUT     "stdout.txt"
#define LOCAL_STDERR     "stderr.txt"
#define LOCAL_STATUS     "exit_status"
#define LOCAL_STATUS_NEW "exit_status.new" /* the same while it is written */

/* Seconds between TERM and KILL, and for which the end of what was killed is waited for. */
#define LOCAL_GRACE 5.0

extern const executor LOCAL_EXECUTOR;

#endif
