/* Files of our own where others may have put links. */
#include "base/file.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void make_text(const char *name)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    fputs("text", file);
    fclose(file);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/gofh-file-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command); /* NOLINT: the name is ours */
}

static void check_foreign(const char *name, const char *expected)
{
    const char *what = NULL;
    assert_string_equal(file_foreign(in_folder(name)), expected);
    assert_int_equal(file_open(in_folder(name), &what), -1);
    assert_non_null(what);
    assert_string_equal(what, expected);
    assert_int_equal(file_create(in_folder(name), 0666), -1);
    assert_int_equal(errno, EEXIST);
}

static void what_is_not_ours_is_named_and_not_opened(void **state)
{
    (void)state;
    char target[sizeof folder + 16];
    make_text("text");
    snprintf(target, sizeof target, "%s/text", folder);
    assert_int_equal(symlink(target, in_folder("symbolic")), 0);
    assert_int_equal(symlink("nowhere", in_folder("dangling")), 0);
    assert_int_equal(mkdir(in_folder("below"), 0777), 0);
    assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
    check_foreign("symbolic", "a symbolic link");
    check_foreign("dangling", "a symbolic link");
    check_foreign("below", "a folder");
    check_foreign("pipe", "no ordinary file");
    assert_int_equal(access(in_folder("nowhere"), F_OK), -1);
    assert_null(file_foreign(in_folder("text")));
    assert_int_equal(link(target, in_folder("hard")), 0);
    check_foreign("hard", "a second name (a hard link) of another file");
    check_foreign("text", "a second name (a hard link) of another file");
}

static void a_file_of_ours_is_opened_with_what_is_in_it(void **state)
{
    (void)state;
    char bytes[8];
    const char *what;
    make_text("text");
    int file = file_open(in_folder("text"), &what);
    assert_true(file >= 0);
    assert_null(what);
    assert_int_equal(read(file, bytes, sizeof bytes), 4);
    close(file);
    file = file_open(in_folder("new"), &what);
    assert_true(file >= 0);
    struct stat a, b;
    assert_int_equal(fstat(file, &a), 0);
    assert_int_equal(stat(in_folder("new"), &b), 0);
    assert_true(file_same(&a, &b));
    close(file);
    file = file_open(in_folder("no/new"), &what);
    assert_int_equal(file, -1);
    assert_int_equal(errno, ENOENT);
    assert_null(what);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_not_ours_is_named_and_not_opened, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_ours_is_opened_with_what_is_in_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
