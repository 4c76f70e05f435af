/* Places in arrays by rows. */
#ifndef MODEL_INDEX_H
#define MODEL_INDEX_H

#include <stddef.h>

static inline size_t index2(int row, int columns, int column)
{
    return (size_t)row * (size_t)columns + (size_t)column;
}

#endif
