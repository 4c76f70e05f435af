/* libFuzzer: any bytes are either refused with a message or give a table whose cells can all be
 * asked for. */
#include "problem/csv.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    text_file text;
    csv_table table;
    problem_error error = {.status = GOFH_OK};
    gofh_status status = text_take(&text, "d.csv", (const char *)data, size, &error);
    if (!status) status = csv_parse(&table, &text, &error);
    if (status) {
        require(error.status == status && error.message[0] != '\0');
        return 0;
    }
    require(table.rows > 0 && table.columns > 0);
    for (int k = 0; table.header && k < table.columns; k++)
        require(csv_find(&table, table.header[k].text) <= k);
    for (int i = 0; i < table.rows && i < 100; i++)
        for (int k = 0; k < table.columns && k < 100; k++) {
            double value = NAN;
            problem_error found = {.status = GOFH_OK};
            status = csv_number(&table, i, k, &value, &found);
            require(status ? found.line > 0 : isfinite(value));
        }
    csv_free(&table);
    return 0;
}
