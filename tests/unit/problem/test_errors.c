/* Every mistake in a problem file, with the line that the user reads. */
#include "check.h"
#include "problem/problem_file.h"

#include <stdio.h>
#include <string.h>

#define FOLDER TEST_DATA "/problem/"
#define P      "parameters: {x: [0, 1]}\n"
#define O      "outputs: {c: 3}\n"
#define G      "objective: {minimize: sum(c^2)}\n"
#define S      "simulator:\n  command: ./run {params}\n"

typedef struct {
    const char *text, *expected;
} bad_file;

static const bad_file YAML[] = {
    {"", "p.yaml: there is nothing in the file"},
    {"# only a comment\n", "p.yaml: there is nothing in the file"},
    {"- x\n",
     "p.yaml:1:1: the problem must be a mapping, not a list: its keys are study, parameters, prior, start, "
     "simulator, outputs, data, objective, constraints or noise"},
    {"hello\n",
     "p.yaml:1:1: the problem must be a mapping, not a text: its keys are study, parameters, prior, start, "
     "simulator, outputs, data, objective, constraints or noise"},
    {P "---\n" P, "p.yaml:2:1: a second document starts here: there may be one"},
    {P "outputs: {c: \xff}\n", "p.yaml:2:14: byte 0xff is not UTF-8: save the file as UTF-8"},
    {"parameters: {x: \xc0\x80}\n", "p.yaml:1:17: byte 0xc0 is not UTF-8: save the file as UTF-8"},
    {"a: \x01\n", "p.yaml:1:4: control character 0x01: this is not a text file"},
    {P P, "p.yaml:2:1: \"parameters\" is here twice, first in line 1"},
    {"parameters:\n  x: [0, 1]\n  x: [0, 2]\n", "p.yaml:3:3: \"x\" is here twice, first in line 2"},
    {"parameters:\n\tx: [0, 1]\n", "p.yaml:2:1: this is not YAML: tab character may not be used as "
                                   "indentation: indent with spaces"},
    {"simulator: {command: ./run {params}}\n",
     "p.yaml:1:28: this is not YAML: missing comma in flow mapping: a text with { } [ ] or a comma in it "
     "needs quotes here"},
    {"parameters:\n  a: [0, 1\n  b: [0, 1]\noutputs: {c: 3}\n",
     "p.yaml:4:1: this is not YAML: wrongly indented flow sequence: the \"[\" of line 2 is not closed, or "
     "the "
     "lines within it are not indented"},
    {"parameters:\n  a: {lower: 0, upper: 1\n  b: [0, 1]\n",
     "p.yaml:3:4: this is not YAML: missing comma in flow mapping: the \"{\" of line 2 is not closed, or a "
     "comma is missing"},
    {"simulator: {\n  command: ./\xc3\xa9 {params}}\n",
     "p.yaml:2:16: this is not YAML: missing comma in flow mapping: a text with { } [ ] or a comma in it "
     "needs quotes here"},
    {P "outputs: [c, d\n", "p.yaml:3:1: this is not YAML: flow sequence without a closing bracket: the \"[\" "
                           "of line 2 is not closed"},
    {P "outputs: {c: 3\n", "p.yaml:3:1: this is not YAML: missing comma in flow mapping: the \"{\" of line 2 "
                           "is not closed, or a comma is missing"},
    {"parameters:\n  a: [0,\n1]\n", "p.yaml:3:1: this is not YAML: wrongly indented flow sequence: the \"[\" "
                                    "of line 2 is not closed, or the "
                                    "lines within it are not indented"},
    {"objective: minimize: sum(c)\n", "p.yaml:1:20: this is not YAML: invalid nested block mapping on the "
                                      "same line: put the text in quotes, or "
                                      "{ } around a mapping such as {retry: 2}"},
    {"parameters: !!map {x: [0, 1]}\n", "p.yaml:1:19: tags, such as !!str, mean nothing here: leave it out; "
                                        "quotes make a text of anything"},
    {"parameters: *p\n", "p.yaml:1:13: nothing before is called &p; a text that starts with * needs quotes"},
    {"? [a]\n: 1\n", "p.yaml:1:3: a key must be a word"},
    {"parameters: {x: \"\\0\"}\n", "p.yaml:1:18: a text may not contain the character \\0"},
    {"data: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
     "p.yaml:1:38: it is nested more than 32 levels deep"},
};

static const bad_file SECTIONS[] = {
    {"budget: 5\n" P,
     "p.yaml:1:1: unknown key \"budget\" in the problem: it may be study, parameters, prior, start, "
     "simulator, outputs, data, objective, constraints or noise"},
    {"paramters: {x: [0, 1]}\n" O G,
     "p.yaml:1:1: unknown key \"paramters\" in the problem: did you mean \"parameters\"?"},
    {O G, "p.yaml:1:1: section \"parameters\" is missing: write parameters: {D: {lower: 0.02, upper: 0.12}}"},
    {P G, "p.yaml:1:1: section \"outputs\" is missing: write outputs: {c: 12}"},
    {P O, "p.yaml:1:1: section \"objective\" is missing: write objective: {minimize: \"sum(c^2)\"}"},
    {P O "objective:\n",
     "p.yaml:3:1: section \"objective\" is empty: write objective: {minimize: \"sum(c^2)\"}"},
    {"study: 60\n" P O G,
     "p.yaml:1:8: study must be a mapping, not a number: its keys are budget, seed, method, "
     "threads, initial, design, target, tolerance, patience, wall_clock or stop"},
    {"study: {budgte: 60}\n", "p.yaml:1:9: unknown key \"budgte\" in study: did you mean \"budget\"?"},
    {"study: {budget: many}\n", "p.yaml:1:17: budget must be a number, not \"many\""},
    {"study: {budget: 1_000}\n",
     "p.yaml:1:17: budget must be a number, not \"1_000\": write it without \"_\""},
    {"study: {budget: 0x10}\n",
     "p.yaml:1:17: budget must be a number, not \"0x10\": write it as a decimal number"},
    {"study: {budget: \"60\"}\n", "p.yaml:1:18: budget must be a number, not a text in quotes: write 60"},
    {"study: {budget: 2.5}\n", "p.yaml:1:17: budget must be a whole number from 0 to 1000000, not 2.5"},
    {"study: {budget: -1}\n", "p.yaml:1:17: budget must be a whole number from 0 to 1000000, not -1"},
    {"study: {budget: [60]}\n", "p.yaml:1:17: budget must be a number, not a list"},
    {"study: {threads: 0}\n", "p.yaml:1:18: threads must be a whole number from 1 to 64, not 0"},
    {"study: {seed: -1}\n",
     "p.yaml:1:15: seed must be a whole number from 0 to 18446744073709551615, not -1"},
    {"study: {seed: 99999999999999999999}\n", "p.yaml:1:15: seed must be a whole number from 0 to "
                                              "18446744073709551615, not 99999999999999999999"},
    {"study: {method: gohf}\n", "p.yaml:1:17: unknown method \"gohf\": did you mean \"gofh\"?"},
    {"study: {stop: soon}\n", "p.yaml:1:15: unknown stop \"soon\": it may be auto or never"},
    {"study: {design: latin}\n", "p.yaml:1:17: unknown design \"latin\": it may be uniform or sobol"},
    {"study: {target: inf}\n", "p.yaml:1:17: target must be a number, not \"inf\": it must be finite"},
    {"study: {target: 1e999}\n", "p.yaml:1:17: target is too large: 1e999"},
    {"study: {wall_clock: soon}\n",
     "p.yaml:1:21: wall_clock must be a duration, not \"soon\": write seconds, or "
     "30s, 5m, 2h, 1d, 1h30m"},
    {"study: {wall_clock: 0s}\n", "p.yaml:1:21: wall_clock must be above 0 and at most 1e9 seconds, not 0s"},
    {"study: {patience: 3}\n", "p.yaml:1:9: patience needs a tolerance: add tolerance: the improvement below "
                               "which the study ends"},
    {"study: {tolerance: 0}\n", "p.yaml:1:20: tolerance must be above 0, not 0"},
};

static const bad_file STARTS[] = {
    {P "start: 5\n",
     "p.yaml:2:8: a start point must be a mapping of parameters to values, not a number: such as {x: 0}"},
    {P "start: {}\n",
     "p.yaml:2:8: a start point must be a mapping of parameters to values, not empty: such as {x: 0}"},
    {P "start: [{x: 1}, 0.5]\n",
     "p.yaml:2:17: a start point must be a mapping of parameters to values, not a number: such as {x: 0}"},
    {P "start:\n  - x: 1\n  -\n",
     "p.yaml:4:3: a start point must be a mapping of parameters to values, not empty: such as {x: 0}"},
    {P "start: {y: 1}\n", "p.yaml:2:9: start of \"y\", which is not a parameter: it may be x"},
    {"parameters: {depth: [0, 1]}\nstart: [{dephth: 1}]\n",
     "p.yaml:2:10: start of \"dephth\", which is not a parameter: did you mean \"depth\"?"},
    {P "start: {x: 1.5}\n", "p.yaml:2:12: start value 1.5 of parameter \"x\" is outside its bounds 0 to 1"},
    {P "start:\n  - {x: 1}\n  - {x: -1e-9}\n",
     "p.yaml:4:9: start value -1e-09 of parameter \"x\" is outside its bounds 0 to 1"},
    {P "start: {x: 1.0000000000001}\n",
     "p.yaml:2:12: start value 1.0000000000001 of parameter \"x\" is outside its bounds 0 to 1"},
    {P "start: {x: half}\n",
     "p.yaml:2:12: the start value of parameter \"x\" must be a number, not \"half\""},
    {P "start: {x: [0.5]}\n", "p.yaml:2:12: the start value of parameter \"x\" must be a number, not a list"},
    {P "start: {x: }\n", "p.yaml:2:9: the start value of parameter \"x\" is empty: it must be a number"},
    {P "start: {x: nan}\n",
     "p.yaml:2:12: the start value of parameter \"x\" must be a number, not \"nan\": it must be finite"},
    {P "start: {x: 0.5, x: 0.6}\n", "p.yaml:2:17: \"x\" is here twice, first in line 2"},
};

static const bad_file NAMES[] = {
    {"parameters: [x]\n",
     "p.yaml:1:13: parameters must be a mapping of names to bounds: such as D: {lower: 0.02, "
     "upper: 0.12}"},
    {"parameters: {x: 5}\n", "p.yaml:1:17: parameter \"x\" has no bounds: write [lower, upper] or {lower: 0, "
                             "upper: 1, scale: linear}"},
    {"parameters: {x: }\n", "p.yaml:1:14: parameter \"x\" has no bounds: write [lower, upper] or {lower: 0, "
                            "upper: 1, scale: linear}"},
    {"parameters: {x: {lower: 0}}\n",
     "p.yaml:1:14: parameter \"x\" has no upper bound: write upper: and a number"},
    {"parameters: {x: {lower: 0, uper: 1}}\n",
     "p.yaml:1:28: unknown key \"uper\" in parameter \"x\": did you mean \"upper\"?"},
    {"parameters:\n  D: {lower: 0.12, upper: 0.02}\n",
     "p.yaml:2:27: upper bound 0.02 of parameter \"D\" is not above its lower bound 0.12"},
    {"parameters: {x: [0, 1,5]}\n",
     "p.yaml:1:17: parameter \"x\" has a list of 3: it needs two numbers, lower and upper: decimal numbers "
     "have a point, not a comma; a catalogue is {values: [1, 2, 5]}"},
    {"parameters: {x: [a, b, c]}\n",
     "p.yaml:1:17: parameter \"x\" has a list of 3: it needs two numbers, lower and upper: texts to choose "
     "from are {choices: [x, y]}"},
    {"parameters: {x: [a, b]}\n",
     "p.yaml:1:18: the lower bound of parameter \"x\" must be a number, not \"a\": texts to choose from are "
     "{choices: [x, y]}"},
    {"parameters: {x: [1, 5, 10]}\n",
     "p.yaml:1:17: parameter \"x\" has a list of 3: it needs two numbers, lower and upper: write [lower, "
     "upper], or {values: [1, 2, 5]} for a catalogue"},
    {"parameters: {x: [1]}\n",
     "p.yaml:1:17: parameter \"x\" has a list of 1: it needs two numbers, lower and upper: write [lower, "
     "upper], or {values: [1, 2, 5]} for a catalogue"},
    {"parameters: {x: {lower: 0,01, upper: 1}}\n",
     "p.yaml:1:27: unknown key \"01\" in parameter \"x\": decimal numbers have a point, not a comma"},
    {"study: {target: 1,5}\n",
     "p.yaml:1:19: unknown key \"5\" in study: decimal numbers have a point, not a comma"},
    {"parameters: {x: [1.0000001, 1]}\n",
     "p.yaml:1:29: upper bound 1 of parameter \"x\" is not above its lower bound 1.0000001"},
    {"parameters: {x: [low, 1]}\n",
     "p.yaml:1:18: the lower bound of parameter \"x\" must be a number, not \"low\""},
    {"parameters: {x: {lower: 0, upper: 1, scale: log}}\n",
     "p.yaml:1:25: lower bound 0 of parameter \"x\" is not above 0, as a log scale needs"},
    {"parameters: {x: {lower: 1, upper: 2, scale: lgo}}\n",
     "p.yaml:1:45: unknown scale \"lgo\": did you mean \"log\"?"},
    {"parameters: {x: {choices: [a, b], scale: banana}}\n",
     "p.yaml:1:42: parameter \"x\": scale is for parameters with bounds or values"},
    {"parameters: {x: {fixed: 5, scale: log}}\n",
     "p.yaml:1:35: parameter \"x\": scale is for parameters with bounds or values"},
    {"parameters: {x: {values: [6, 8], ordered: true}}\n",
     "p.yaml:1:43: parameter \"x\": ordered is for parameters with choices"},
    {"parameters: {x: {lower: 0, upper: 1e12, integer: true, fixed: 5e11}}\n",
     "p.yaml:1:50: parameter \"x\" has more than 2147483647 values: leave integer out"},
    {"parameters: {x: {lower: 0, upper: 1, step: 1e-10}}\n",
     "p.yaml:1:44: parameter \"x\" has more than 2147483647 values: leave the step out"},
    {"parameters: {x: {lower: 0, upper: 1e12, integer: true, step: 2}}\n",
     "p.yaml:1:62: parameter \"x\" has more than 2147483647 values: leave step and integer out"},
    {"parameters: {x: {choices: [steel]}}\n",
     "p.yaml:1:27: the choices of parameter \"x\" must be a list of 2 or more: a text that is always the "
     "same is no parameter: write it where it is used"},
    {"parameters: {x: {values: [5]}}\n",
     "p.yaml:1:26: the values of parameter \"x\" must be a list of 2 or more: a single value is fixed: "
     "{fixed: 7850}"},
    {"parameters: {x: {fixed: steel}}\n",
     "p.yaml:1:25: the fixed value of parameter \"x\" must be a number, not \"steel\": a text that is "
     "always the same is no parameter: write it where it is used"},
    {"parameters: {2x: [0, 1]}\n",
     "p.yaml:1:14: \"2x\" can't be the name of a parameter: a name is "
     "letters, digits and \"_\", 60 bytes at most, and does not start with a digit"},
    {"parameters: {pi: [0, 1]}\n", "p.yaml:1:14: \"pi\" has a meaning of its own in expressions"},
    {"parameters: {trial: [0, 1]}\n",
     "p.yaml:1:14: a parameter can't be called \"trial\": {trial} has a meaning in the command"},
    {P "outputs: 5\n",
     "p.yaml:2:10: outputs must be a mapping of names to sizes: such as {c: 12}; or a list of "
     "names, such as [mass, stress]"},
    {P "outputs: {x: 3}\n",
     "p.yaml:2:11: \"x\" can't be the name of an output: it is that of a parameter already"},
    {P "outputs: [c, c]\n",
     "p.yaml:2:14: \"c\" can't be the name of an output: it is that of an output already"},
    {P "outputs: {c: 0}\n",
     "p.yaml:2:14: the size of output \"c\" must be a whole number from 1 to 1000000, not 0"},
    {P "outputs: {c: {missing: yes}}\n",
     "p.yaml:2:24: unknown missing \"yes\": it may be refused or allowed"},
    {P "outputs: {c: {sise: 3}}\n",
     "p.yaml:2:15: unknown key \"sise\" in output \"c\": did you mean \"size\"?"},
    {P "outputs: [[c]]\n", "p.yaml:2:11: the name of an output must be a word, not a list"},
    {P O "noise: loud\n",
     "p.yaml:3:8: noise must be a mapping of outputs to standard deviations: such as {c: "
     "0.1} or {c: {variance: 0.01}}; or the word estimated"},
    {P O "noise: {d: 1}\n", "p.yaml:3:9: noise of \"d\", which is not an output: it may be c"},
    {P "outputs: {yield: 1, mass: 1}\nnoise: {z: 1}\n",
     "p.yaml:3:9: noise of \"z\", which is not an output: it may be yield or mass"},
    {P "outputs: {yield: 1}\nnoise: {yeld: 1}\n",
     "p.yaml:3:9: noise of \"yeld\", which is not an output: did you mean \"yield\"?"},
    {P O "noise: {c: -1}\n", "p.yaml:3:12: the noise of output \"c\" must be 0 or above, not -1"},
    {P O "noise: {c: {deviation: 1}}\n",
     "p.yaml:3:13: unknown key \"deviation\" in the noise of output \"c\": it "
     "may be variance"},
};

static const bad_file DATA[] = {
    {P O "data: {o: gone.csv}\n", "p.yaml:3:11: the data file \"gone.csv\" can't be read: No such file or "
                                  "directory: paths are relative to the problem file"},
    {P O "data: {c: 5}\n", "p.yaml:3:8: \"c\" can't be the name of data: it is that of an output already"},
    {P O "data: {o: }\n",
     "p.yaml:3:8: data \"o\" have no values: write the name of a CSV file, or numbers in [ ]"},
    {P O "data: {o: []}\n",
     "p.yaml:3:8: data \"o\" have no values: write the name of a CSV file, or numbers in [ ]"},
    {P O "data: {o: [1, no]}\n", "p.yaml:3:15: a value of data \"o\" must be a number, not \"no\""},
    {P O "data: {o: {column: 2}}\n", "p.yaml:3:8: data \"o\" have no file"},
    {P O "data: {o: three.csv}\n",
     "p.yaml:3:11: three.csv has 3 columns: time, the \"c\", sigma: choose one: {file: ..., "
     "column: a name, or a number from 1}"},
    {P O "data: {o: {file: three.csv, column: sgima}}\n",
     "p.yaml:3:37: there is no column \"sgima\" in three.csv: it has 3: time, the \"c\", sigma"},
    {P O "data: {o: {file: twice.csv, column: T}}\n",
     "p.yaml:3:37: twice.csv has the column \"T\" twice: choose one by its number, 1 or 3"},
    {P O "data: {o: {file: three.csv, column: 4}}\n",
     "p.yaml:3:37: the column must be a whole number from 1 to 3, not 4"},
    {P O "data: {o: {file: three.csv, column: 2}}\n",
     "three.csv:2:3: \"1,5\" is not a number: write it with a decimal point"},
    {P O "data: {o: ragged.csv}\n", "ragged.csv:2:1: 1 cell here, but 2 in the first row"},
    {P O "data: {o: {values: [NA, null]}}\n", "p.yaml:3:8: all values of data \"o\" are missing"},
    {P O "data: {o: {values: [1, 2], sigma: [1, 0]}}\n",
     "p.yaml:3:39: sigma of data \"o\" is 0: it must be above 0"},
    {P O "data: {o: {values: [1, 2], sigma: [1]}}\n",
     "p.yaml:3:35: sigma of data \"o\" has 1 values, but there are 2"},
    {P O "data: {o: {values: [1, 2], sigma: s}}\n",
     "p.yaml:3:35: sigma of data \"o\" is the name of a column, but there is no file: write numbers in [ ]"},
    {P O "data: {o: {values: [1], at: [NA]}}\n",
     "p.yaml:3:30: at of data \"o\" must be a number, not \"NA\""},
    {P O "data: {o: {file: gaps.csv, column: t, sigma: dV}}\n",
     "gaps.csv:3:8: the cell is empty: a number is expected"},
    {P O "data: {o: {file: gaps.csv, column: dV, sigma: t}}\n",
     "gaps.csv:2:1: sigma is 0: it must be above 0"},
    {P O "data: {o: {file: gaps.csv, column: t, values: [1]}}\n",
     "p.yaml:3:39: data \"o\" have a file and values: leave one out"},
    {P "outputs: {o_sigma: 1}\ndata: {o: {values: [1], sigma: 2}}\n",
     "p.yaml:3:32: sigma of data \"o\" is called \"o_sigma\", which is the name of an output already"},
    {P O "data: {o: {values: [1], sigma: 2}, o_sigma: 3}\n",
     "p.yaml:3:36: \"o_sigma\" can't be the name of data: it is that of the sigma of data already"},
};

static const bad_file CURVES[] = {
    {P "outputs: {c: {at: t, size: 3}}\n",
     "p.yaml:2:28: the size of output \"c\" is that of its data: leave it out"},
    {P "outputs: {c: {extend: last}}\n", "p.yaml:2:23: extend is for curves: outputs with at"},
    {P "outputs: {c: {at: t, extend: zero}}\n",
     "p.yaml:2:30: unknown extend \"zero\": it may be never or last"},
    {P "outputs: {c: {at: t}}\n" G,
     "p.yaml:2:11: output \"c\" is a curve, but where it is wanted is not clear: fit it to data with at, "
     "such as {file: m.csv, column: V, at: t}"},
    {P "outputs: {c: {at: t}}\ndata: {m: [1, 2]}\nobjective: {fit: {c: m}}\n",
     "p.yaml:4:22: output \"c\" is a curve, but data \"m\" do not say where they were measured: fit it to "
     "data with at, such as {file: m.csv, column: V, at: t}"},
    {P "outputs: {c: {at: t}}\ndata: {m: {values: [1, 2], at: [0, 1]}}\nobjective: {fit: {c: m}}\n" S
       "  results: plain\n",
     "p.yaml:7:12: output \"c\" is a curve: its places are read by name, from results: json or csv, without "
     "column"},
};

#define D "data: {o: {values: [1, 2, NA], sigma: 0.5}, two: [1, 2], zero: [1, 0, 2]}\n"

static const bad_file FITS[] = {
    {P O D "objective: {fit: c}\n",
     "p.yaml:4:18: fit must be a mapping of outputs to data: such as {c: observed}"},
    {P O D "objective: {fit: {c: o}, minimize: x}\n",
     "p.yaml:4:26: objective has a fit and an expression: leave one out"},
    {P O D "objective: {fit: {C: o}}\n",
     "p.yaml:4:19: \"C\" is not the name of an output: did you mean \"c\"?"},
    {P O D "objective: {fit: {zone: two}}\n",
     "p.yaml:4:19: \"zone\" is not the name of an output: it may be c"},
    {P O "objective: {fit: {c: two}}\n", "p.yaml:3:22: \"two\" is not the name of data: there are none"},
    {P O "prior: {zone: uniform}\n",
     "p.yaml:3:9: a prior of \"zone\", which is not a parameter: it may be x"},
    {P O D "objective: {fit: {c: tow}}\n",
     "p.yaml:4:22: \"tow\" is not the name of data: did you mean \"two\"?"},
    {P O D "objective: {fit: {c: two}}\n", "p.yaml:4:22: output \"c\" has 3 values, data \"two\" have 2"},
    {P O D "objective: {fit: {c: {residual: log}}}\n",
     "p.yaml:4:19: the fit of \"c\" has no data: write the name of data: c: measured"},
    {P O D "objective: {fit: {c: {data: o, residual: relative}}}\n",
     "p.yaml:4:29: data \"o\" have a sigma, which says what a residual weighs: leave that or \"relative\" "
     "out"},
    {P O D "objective: {fit: {c: {data: zero, residual: relative}}}\n",
     "p.yaml:4:29: value 1 of data \"zero\" is 0: it has no relative residual"},
    {P O D "objective: {fit: {c: {data: zero, residual: log}}}\n",
     "p.yaml:4:29: value 1 of data \"zero\" is 0: it has no logarithm"},
    {P O D "objective: {fit: {c: {data: zero, loss: huber}}}\n",
     "p.yaml:4:29: Huber's loss of data \"zero\" needs their sigma, or a threshold of the residuals"},
    {P O D "objective: {fit: {c: {data: o, threshold: 2}}}\n", "p.yaml:4:43: a threshold is for loss: huber"},
    {P O D "objective: {fit: {c: {data: o, loss: Huber}}}\n",
     "p.yaml:4:38: unknown loss \"Huber\": did you mean \"huber\"?"},
    {P O D "objective: {minimize: sum((c - o)^2)}\n",
     "p.yaml:4:32: 1 of 3 values of \"o\" are missing: use fit, or known(y, o) and known(o)"},
};

static const bad_file EXPRESSIONS[] = {
    {P O "objective: sum(c)\n", "p.yaml:3:12: objective must be a mapping, not a text: its keys are "
                                "minimize, maximize, fit or log_likelihood"},
    {P O "objective: {minimise: sum(c)}\n",
     "p.yaml:3:13: unknown key \"minimise\" in objective: did you mean \"minimize\"?"},
    {P O "objective: {minimize: x, maximize: x}\n",
     "p.yaml:3:26: objective has both minimize and maximize: leave one out"},
    {P O "objective: {}\n",
     "p.yaml:3:12: objective is empty: write minimize: or maximize: and an expression, or "
     "fit: {output: data}"},
    {P O "objective: {minimize: [x]}\n", "p.yaml:3:23: minimize must be a text, not a list"},
    {P O "objective: {minimize: \" \"}\n", "p.yaml:3:24: minimize is empty"},
    {P O "data: {observed: [1, 2, 3]}\nobjective:\n  minimize: sum((c - obsrved)^2)\n",
     "p.yaml:5:22: unknown name \"obsrved\" (did you mean \"observed\"?)"},
    {P O "objective:\n  minimize: \"sum((c - obs)^2)\"\n",
     "p.yaml:4:23: unknown name \"obs\": there are x, c"},
    {P O "objective:\n  minimize: \"sum((c - obsrved)^2)\"\n",
     "p.yaml:4:23: unknown name \"obsrved\": there are x, c"},
    {P O "objective:\n  minimize: \"1 \\u002B \\t\\x63 + z\"\n",
     "p.yaml:4:32: unknown name \"z\": there are x, c"},
    {P O "objective:\n  minimize: >-\n    sum(c)\n    + z\n",
     "p.yaml:6:7: unknown name \"z\": there are x, c"},
    {P O "objective:\n  minimize: |\n    sum(c)\n\n      + z\n",
     "p.yaml:7:9: unknown name \"z\": there are x, c"},
    {P O "objective:\n  minimize: sum(c)\n    + z\n", "p.yaml:5:7: unknown name \"z\": there are x, c"},
    {P O "objective:\n  minimize: '1 +\n\n    z'\n", "p.yaml:6:5: unknown name \"z\": there are x, c"},
    {P O "objective:\n  minimize: sum(c) +\n",
     "p.yaml:4:21: the expression ends, a number, a name or \"(\" expected"},
    {P O "data: {o: [1, 2]}\nobjective: {minimize: sum(c - o)}\n",
     "p.yaml:4:29: sizes do not fit at \"-\": \"c\" has 3 values, \"o\" has 2"},
    {P O G "constraints: x <= 1\n",
     "p.yaml:4:14: constraints must be a list, not a text: such as [\"max(stress) "
     "<= 250\"], or lines that start with \"- \""},
    {P O G "constraints:\n  - x <= 1\n  - max(d) <= 1\n", "p.yaml:6:9: unknown name \"d\": there are x, c"},
    {P O G "constraints: [\"min(x, d) <= 1\"]\n", "p.yaml:4:23: unknown name \"d\": there are x, c"},
    {"parameters: {x: [0, 1], metal: {choices: [tin, iron]}}\n" O G "constraints: [metal == iron]\n",
     "p.yaml:4:24: unknown name \"iron\": there are x, metal, c: in expressions a choice is its number, and "
     "iron of metal is 1"},
    {P O G "constraints: [min(x, 2) <= 1]\n",
     "p.yaml:4:18: \"(\" is never closed: inside [ ] a comma ends a text that is not in quotes"},
    {P O G "constraints: [{x: 1}]\n", "p.yaml:4:15: a constraint must be a text, not a mapping"},
};

static const bad_file SIMULATOR[] = {
    {P O G "simulator: ./run\n", "p.yaml:4:12: simulator must be a mapping, not a text: its keys are "
                                 "command, params, results, templates, "
                                 "files, instructions, timeout, parallel, on_failure, executor, setup, "
                                 "slurm or queue"},
    {P O G "simulator: {params: json}\n",
     "p.yaml:4:12: simulator has no command: write command: ./program {params} {results}"},
    {P O G "simulator: {command: \"\"}\n", "p.yaml:4:23: command is empty"},
    {P O G "simulator:\n  command: ./run {params} {foo}\n",
     "p.yaml:5:27: unknown {foo} in the command: it may be {params}, {results}, {trial} or a parameter in { "
     "}; "
     "the shell's own is ${foo}"},
    {P O G S "  results: stdout\n  timeout: 5 minutes\n",
     "p.yaml:7:12: timeout must be a duration, not \"5 minutes\": write seconds, or 30s, 5m, 2h, 1d, 1h30m"},
    {P O G "simulator:\n  command: ./run {results}\n  results: stdout\n",
     "p.yaml:5:18: {results} is no file here: results are read from standard output"},
    {P O G S "  params: jsn\n", "p.yaml:6:11: unknown format of params \"jsn\": did you mean \"json\"?"},
    {P O G S "  params: {format: json, flie: a}\n",
     "p.yaml:6:26: unknown key \"flie\" in params: did you mean \"file\"?"},
    {P O G S "  params: {file: ../a.json}\n", "p.yaml:6:18: params \"../a.json\" is not a file in the folder "
                                              "of the run: it may not start with \"/\", end "
                                              "with \"/\" or go up with \"..\""},
    {P O G S "  params: template\n", "p.yaml:6:11: params: template needs templates: add templates: [{from: "
                                     "model.tpl, to: model.inp}]"},
    {P O G S "  templates: [gone.tpl]\n",
     "p.yaml:6:15: the template \"gone.tpl\" can't be read: No such file or "
     "directory: paths are relative to the problem file"},
    {P O G S "  templates: [measured.csv]\n",
     "p.yaml:6:15: the template \"measured.csv\" does not end in .tpl, "
     "so its name in the run must be given: write {from: measured.csv, to: ...}"},
    {P O G S "  templates: model.inp.tpl\n",
     "p.yaml:6:14: templates must be a list, not a text: write it in [ ]"},
    {P O G S "  files: [measured.csv, {from: three.csv, to: measured.csv}]\n",
     "p.yaml:6:47: two files of the run are called \"measured.csv\""},
    {P O G S "  files: [{to: a}]\n", "p.yaml:6:11: the file has no \"from\""},
    {P O G S "  files: [{from: nan.csv, link: yes}]\n",
     "p.yaml:6:33: unknown link \"yes\": it may be false or true"},
    {P O G S "  results: instruction\n",
     "p.yaml:6:12: results: instruction needs instructions: add instructions: "
     "[{instruction: out.ins, file: out.txt}]"},
    {P O G S "  instructions: [{instruction: out.ins}]\n",
     "p.yaml:6:18: an instruction has no \"file\": write {instruction: out.ins, file: out.txt}"},
    {P O G S "  instructions: [{instruction: no.ins, file: a}]\n",
     "p.yaml:6:32: the instruction file \"no.ins\" can't be read: No such file or directory: paths are "
     "relative "
     "to the problem file"},
    {P O G S "  instructions: [{instruction: out.ins, file: a}]\n",
     "p.yaml:6:3: instructions are for results: instruction only"},
    {P O G S "  results: {format: stdout, file: a}\n",
     "p.yaml:6:12: results of format stdout have no file of their own: leave file out"},
    {P O G S "  results: {format: plain, column: 2}\n",
     "p.yaml:6:36: a column is chosen of csv results only: write format: csv"},
    {P "outputs: [a, b]\nobjective: {minimize: a}\n" S "  results: {format: csv, column: 2}\n",
     "p.yaml:6:34: one column is chosen, but there are 2 outputs: without column, columns named like the "
     "outputs "
     "are read"},
    {P O G S "  parallel: 0\n", "p.yaml:6:13: parallel must be a whole number from 1 to 1000, not 0"},
    {P O G S "  executor: slrum\n", "p.yaml:6:13: unknown executor \"slrum\": did you mean \"slurm\"?"},
    {P O G S "  slurm: {cpus: 2}\n", "p.yaml:6:3: slurm is for executor: slurm or srun only"},
    {P O G S "  executor: slurm\n  queue: {preset: pbs}\n",
     "p.yaml:7:3: queue is for executor: command only"},
    {P O G S "  executor: slurm\n  slurm: {memory: 16}\n",
     "p.yaml:7:19: memory must be a whole number with a unit, not \"16\": write 16G or 800M"},
    {P O G S "  executor: slurm\n  slurm: {cpus: 0}\n",
     "p.yaml:7:17: cpus must be a whole number from 1 to 100000, not 0"},
    {P O G S "  executor: command\n",
     "p.yaml:6:13: executor: command needs queue: add queue: {preset: pbs}, or its commands submit, status "
     "and cancel"},
    {P O G S "  executor: command\n  queue: {preset: torque}\n",
     "p.yaml:7:19: unknown preset \"torque\": it may be pbs, lsf, sge, htcondor, flux or ssh"},
    {P O G S "  executor: command\n  queue: {submit: qsub}\n",
     "p.yaml:7:10: queue has no status, and no preset that has one: write status: and the command, or "
     "preset: pbs"},
    {P O G S "  on_failure: lern\n", "p.yaml:6:15: unknown on_failure \"lern\": did you mean \"learn\"?"},
    {P O G S "  on_failure: ignore\n",
     "p.yaml:6:15: unknown on_failure \"ignore\": it may be learn, abort or retry: N"},
    {P O G S "  on_failure: retry\n",
     "p.yaml:6:15: on_failure \"retry\" does not say how often: write {retry: 2}, up to 100"},
    {P O G S "  on_failure: {retry: 0}\n", "p.yaml:6:23: retry must be a whole number from 1 to 100, not 0"},
};

/* The folder of the tests left out, wherever it is named. */
static void shorten(char *text)
{
    for (char *at; (at = strstr(text, FOLDER));)
        memmove(at, at + sizeof FOLDER - 1, strlen(at + sizeof FOLDER - 1) + 1);
}

static void check_files(const bad_file *files, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        problem_file file;
        problem_error error = {.status = GOFH_OK};
        char text[2048] = "no error";
        if (problem_file_parse(&file, FOLDER "p.yaml", files[i].text, strlen(files[i].text), &error))
            problem_error_text(&error, text, sizeof text);
        shorten(text);
        problem_file_free(&file);
        if (strcmp(text, files[i].expected) == 0) continue;
        print_error("%s  gives    %s\n  expected %s\n\n", files[i].text, text, files[i].expected);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define TEST_OF(name, table)                                                                                 \
    static void name(void **state)                                                                           \
    {                                                                                                        \
        (void)state;                                                                                         \
        check_files((table), sizeof(table) / sizeof *(table));                                               \
    }
TEST_OF(what_is_not_one_document_is_refused, YAML)
TEST_OF(sections_and_study_say_what_is_wrong, SECTIONS)
TEST_OF(start_points_say_what_is_wrong, STARTS)
TEST_OF(parameters_outputs_and_noise_say_what_is_wrong, NAMES)
TEST_OF(data_say_what_is_wrong, DATA)
TEST_OF(curves_say_what_is_wrong, CURVES)
TEST_OF(fits_say_what_is_wrong, FITS)
TEST_OF(expressions_point_into_the_file, EXPRESSIONS)
TEST_OF(the_simulator_says_what_is_wrong, SIMULATOR)

static void a_missing_file_says_why(void **state)
{
    (void)state;
    problem_file file;
    problem_error error = {.status = GOFH_OK};
    char text[2048];
    assert_int_equal(problem_file_read(&file, "no/such.yaml", &error), GOFH_ERROR_SYSTEM);
    problem_error_text(&error, text, sizeof text);
    assert_string_equal(text, "no/such.yaml: it can't be read: No such file or directory");
    error = (problem_error){.status = GOFH_OK};
    assert_int_equal(problem_file_read(&file, "/", &error), GOFH_ERROR_SYSTEM);
    error = (problem_error){.status = GOFH_OK};
    assert_int_equal(problem_file_read(&file, "/dev/zero", &error), GOFH_ERROR_PROBLEM);
    assert_string_equal(error.message, "it is larger than 16 MiB");
}

/* Nine levels of nine aliases each: 9^9 values, written out. */
static void a_bomb_of_aliases_is_refused_at_once(void **state)
{
    (void)state;
    char text[4096] = "data:\n  a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 9; i++) {
        size_t used = strlen(text);
        used += (size_t)snprintf(text + used, sizeof text - used, "  a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s*a%d", k ? ", " : "", i - 1);
        snprintf(text + used, sizeof text - used, "]\n");
    }
    problem_file file;
    problem_error error = {.status = GOFH_OK};
    assert_int_equal(problem_file_parse(&file, "p.yaml", text, strlen(text), &error), GOFH_ERROR_PROBLEM);
    assert_string_equal(error.message, "there are more than 1000000 values, with all aliases written out");
    /* a5, in line 7, has 9^6 values: the second alias to it is too many */
    assert_int_equal(error.line, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_one_document_is_refused),
        cmocka_unit_test(sections_and_study_say_what_is_wrong),
        cmocka_unit_test(start_points_say_what_is_wrong),
        cmocka_unit_test(parameters_outputs_and_noise_say_what_is_wrong),
        cmocka_unit_test(data_say_what_is_wrong),
        cmocka_unit_test(curves_say_what_is_wrong),
        cmocka_unit_test(fits_say_what_is_wrong),
        cmocka_unit_test(expressions_point_into_the_file),
        cmocka_unit_test(the_simulator_says_what_is_wrong),
        cmocka_unit_test(a_missing_file_says_why),
        cmocka_unit_test(a_bomb_of_aliases_is_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
