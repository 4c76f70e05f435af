"""Writes the cases of valid/ (input, value, kind) with values computed by numpy, and of invalid/ (input, error).

Run it in its own folder after changing a case; the files it writes are committed."""
import math
import pathlib
import shutil

import numpy as np
from scipy.special import erf, ndtr

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(5)
c = np.round(rng.uniform(0.2, 3.0, 12), 3)
observed = np.round(c + rng.normal(0, 0.4, 12), 3)
sigma = np.round(rng.uniform(0.1, 0.5, 12), 3)
stress = np.array([180.0, 231.5, 199.25, 240.125])
w = np.array([0.1, 0.4, 0.3, 0.2])
t, M, D, E, density, length_scale = -1.25, 10.0, 0.07, 210.0, 7.8, 0.5

symbols = [("output", "c", c), ("output", "t", [t]), ("output", "stress", stress), ("output", "E", [E]),
           ("output", "density", [density]), ("parameter", "M", [M]), ("parameter", "D", [D]), ("parameter", "length", [length_scale]),
           ("data", "observed", observed), ("data", "sigma", sigma), ("data", "w", w)]

norm = lambda v: math.sqrt(np.sum(np.square(v)))
norm1 = lambda v: np.sum(np.abs(v))
names = dict(c=c, observed=observed, sigma=sigma, stress=stress, w=w, t=t, M=M, D=D, E=E, density=density, pi=math.pi, length=length_scale,
             np=np, sum=np.sum, mean=np.mean, norm=norm, norm1=norm1, dot=np.dot, cumsum=np.cumsum, exp=np.exp, log=np.log,
             log10=np.log10, sqrt=np.sqrt, abs=np.abs, sin=np.sin, cos=np.cos, tan=np.tan, asin=np.arcsin, acos=np.arccos,
             atan=np.arctan, sinh=np.sinh, cosh=np.cosh, tanh=np.tanh, erf=erf, normal_cdf=ndtr, floor=np.floor,
             where=np.where)

G, L, S = "general", "linear", "least squares"
# name, text, kind, and Python for the value where replacing ^ by ** is not enough
valid = [
    ("number", "42", L), ("number-fraction", ".5 + 1. + 2.25", L), ("number-exponent", "1e3 + 2.5E-2 + 1e+1", L),
    ("minus-before-power", "-2^2 + t*0", L), ("power-from-the-right", "2^3^2", L), ("power-of-minus", "2^-1", L),
    ("power-signs", "2^-2^2", L), ("minus-minus", "1 - -t", L), ("plus-minus-is-a-minus", "3 +-t", L), ("unary-plus", "+t", L),
    ("division-from-the-left", "12/3/2 + 0*t", L), ("subtraction-from-the-left", "10 - 4 - 3 + t", L),
    ("product-before-sum", "1 + 2*t", L), ("parentheses", "(1 + 2)*t", L), ("new-lines", "sum(\n  c\n  - observed\n)", L),
    ("tabs", "t\t*\t2", L), ("utf8-plus-minus", "where(t == -1 \u00b1 0.5, 3, 4)", G, "3.0"),
    ("index", "c[3]", L), ("index-negative", "c[-1] - c[-12]", L), ("index-computed", "c[length(c) - 2]", L, "c[10]"),
    ("index-of-a-scalar", "t[0]", L, "t"), ("index-of-parentheses", "(c - observed)[2]", L),
    ("slice", "sum(c[0:4])", L), ("slice-from", "sum(c[9:])", L), ("slice-to", "sum(c[:-9])", L),
    ("slice-all", "sum(c[:])", L), ("slice-of-slice", "c[2:8][1:3][1]", L), ("slice-of-data", "observed[3:5][1]", L),
    ("slices-of-differences", "sum((c[1:] - c[:-1])^2)", S), ("vector", "sum([1, 2, 3]*c[0:3])", L, "sum(np.array([1,2,3])*c[0:3])"),
    ("vector-of-vectors", "sum(cumsum([c[0:2], t, 7]))", L, "sum(cumsum(np.concatenate([c[0:2],[t,7]])))"),
    ("vector-of-outputs", "max([t, E, density])", G, "max([t,E,density])"),
    ("sum", "sum(c)", L), ("mean", "mean(c)", L), ("sum-of-a-scalar", "sum(t)", L), ("min", "min(c)", G, "np.min(c)"),
    ("max", "max(stress)", G, "np.max(stress)"), ("max-of-two", "sum(max(0, c - 1))", G, "sum(np.maximum(0, c-1))"),
    ("min-of-three", "sum(min(c, observed, 1))", G, "sum(np.minimum(np.minimum(c, observed),1))"),
    ("norm", "norm(c)", G), ("norm-of-a-scalar", "norm(t)", G), ("norm1", "norm1(c - observed)", G), ("dot", "dot(w, stress)", L),
    ("dot-with-a-scalar", "dot(c, 2)", L, "2*sum(c)"), ("cumsum", "norm(cumsum(c))", G), ("cumsum-linear", "cumsum(c)[5]", L),
    ("length-as-function", "length(c) + t", L, "12 + t"), ("length-as-parameter", "length*t", G),
    ("length-as-both", "length(c)*length", G, "12*length"),
    ("exp", "-sum(exp(c))", G), ("log", "log(c[0])", G), ("log10", "log10(E)", G), ("sqrt", "sqrt(E)", G), ("abs", "abs(t)", G),
    ("sin", "sin(t)", G), ("cos", "cos(t)", G), ("tan", "tan(t)", G), ("asin", "asin(t/2)", G), ("acos", "acos(t/2)", G),
    ("atan", "atan(t)", G), ("sinh", "sinh(t)", G), ("cosh", "cosh(t)", G), ("tanh", "tanh(t)", G), ("erf", "erf(t)", G),
    ("normal-cdf", "normal_cdf(t)", G), ("floor", "floor(t)", G), ("pi", "pi*t", L),
    ("power-of-a-vector", "sum(c^3)", G), ("power-of-data", "sum(stress^w)", G), ("power-of-two", "2^t", G),
    ("power-root", "sum(c^0.5)", G), ("power-inverse", "sum(c^-1)", G, "sum(c**-1.0)"), ("power-real", "E^0.3", G),
    ("power-fourth", "t^4", G),
    ("less", "sum(c < 1)", G), ("less-equal", "(t <= -1.25)*2", G), ("more", "(t > -1.25)*2", G), ("more-equal", "(E >= 210)*2", G),
    ("equal", "(E == 210)*2", G), ("not-equal", "(E != 210)*2", G), ("chain", "sum(0.5 < c <= 2)", G, "sum((0.5 < c) & (c <= 2))"),
    ("and", "where(t < 0 and E > 0, 1, 2)", G, "1.0"), ("or", "where(t > 0 or E > 0, 1, 2)", G, "1.0"),
    ("not", "where(not t > 0, 1, 2)", G, "1.0"), ("and-before-or", "where(1 == 1 or t > 0 and t > 1, 1, 2)", G, "1.0"),
    ("not-binds-below-comparison", "where(not t == 0, 1, 2)", G, "1.0"), ("tolerance", "where(E == 209 +- 2, 1, 2)", G, "1.0"),
    ("where", "sum(where(c > 1, c, 0))", G), ("where-hides-a-domain-error", "where(t > 0, log(t), -9)", G, "-9.0"),
    ("and-hides-a-domain-error", "where(t > 0 and log(t) < 3, 1, 2)", G, "2.0"),
    ("ratio", "E / density", G), ("prior", "-sum(((c - observed)/sigma)^2) - 0.5*((log(D) - log(0.05))/0.3)^2", G),
    ("likelihood", "-sum(((c - observed)/sigma)^2)", S), ("norm-squared", "norm(c - observed)^2", S),
    ("dot-squared", "dot(c - observed, c - observed)", S), ("sum-of-squares", "sum((c - observed)^2)", S),
    ("dot-of-opposites", "dot(c - observed, observed - c)", S), ("mean-of-squares", "3 - mean((c - observed)^2)/2", S),
    ("squares-multiplied-out", "sum(c^2) - 2*dot(c, observed) + dot(observed, observed)", S),
    ("squares-of-two-outputs", "100*(t - E)^2 + (1 - t)^2", S), ("squares-of-some-outputs", "(t - 1)^2 + sum(stress^2)", S),
    ("squares-of-a-mean", "(mean(c) - 1.5)^2", S), ("squares-of-abs", "sum(abs(c - observed)^2)", S),
    ("squares-by-product", "sum((c - observed)*(c - observed)/sigma/sigma)", S), ("squares-of-both-signs", "t^2 - E^2", G),
    ("squares-and-a-line", "t^2 + E", G), ("squares-completed", "t^2 + 3*t", S), ("product-of-outputs", "t*E", G),
    ("linear-cancels", "sum(c - observed) - sum(c)", L), ("linear-of-everything", "dot(w, stress) - 3*t + (E - 1)/2", L),
    ("langermann", "-sum([1, 2, 5, 2, 3]*exp(-c[0:5]/pi)*cos(pi*c[0:5]))", G, "-sum(np.array([1,2,5,2,3])*exp(-c[0:5]/pi)*cos(pi*c[0:5]))"),
    ("common-parts", "exp(t)*exp(t) + sin(exp(t))", G), ("only-a-parameter", "M^2 + D", G),
]

deep = "(" * 300 + "t" + ")" * 300
# name, text, line, column, message
invalid = [
    ("empty", "", 1, 1, "the expression is empty"), ("blank", " \n ", 2, 2, "the expression is empty"),
    ("unknown-name", "sum((c - obsrved)^2)", 1, 10, 'unknown name "obsrved" at column 10 (did you mean "observed"?)'),
    ("unknown-name-case", "sum(C)", 1, 5, 'unknown name "C" at column 5 (did you mean "c"?)'),
    ("unknown-name-far", "sum(banana)", 1, 5, 'unknown name "banana" at column 5: there are c, t, stress, E, density, M, D, length, observed, sigma, w'),
    ("unknown-function", "summ(c)", 1, 1, 'unknown function "summ" at column 1 (did you mean "sum"?)'),
    ("unknown-on-line-2", "t +\n  obserfed", 2, 3, 'unknown name "obserfed" at column 3 (did you mean "observed"?)'),
    ("sizes-minus", "sum(c - stress)", 1, 7, 'sizes do not fit at "-": "c" has 12 values, "stress" has 4'),
    ("sizes-power", "sum(c^w)", 1, 6, 'sizes do not fit at "^": "c" has 12 values, "w" has 4'),
    ("sizes-compare", "sum(c < w)", 1, 7, 'sizes do not fit at "<": "c" has 12 values, "w" has 4'),
    ("sizes-and", "sum(c < 1 and w < 1)", 1, 11, 'sizes do not fit at "and": "c < 1" has 12 values, "w < 1" has 4'),
    ("sizes-dot", "dot(c, w)", 1, 1, 'sizes do not fit at "dot": argument 1 has 12 values, argument 2 has 4'),
    ("sizes-where", "sum(where(c > 1, w, 0))", 1, 5, 'sizes do not fit at "where": argument 1 has 12 values, argument 2 has 4'),
    ("sizes-max", "sum(max(c, 0, w))", 1, 5, 'sizes do not fit at "max": argument 1 has 12 values, argument 3 has 4'),
    ("sizes-tolerance", "sum(c == 1 +- w)", 1, 12, 'sizes do not fit at "+-": "c == 1" has 12 values, "w" has 4'),
    ("vector-as-objective", "c - observed", 0, 0, "the expression is a vector of size 12 where one number is needed: sum(...), mean(...), max(...) or an element"),
    ("comparison-as-objective", "t < 3", 0, 0, "the expression is a comparison where a number is needed: where(condition, a, b) makes one"),
    ("arguments-few", "dot(c)", 1, 1, '"dot" at column 1 takes 2 arguments, not 1'),
    ("arguments-many", "2 + exp(t, 2)", 1, 5, '"exp" at column 5 takes 1 argument, not 2'),
    ("arguments-none", "sum()", 1, 1, '"sum" at column 1 takes 1 argument, not 0'),
    ("function-without-call", "sum + 1", 1, 1, '"sum" at column 1 is a function: write sum(...)'),
    ("call-of-an-output", "c(0)", 1, 1, '"c" at column 1 is not a function: write "*" to multiply, c[0] for an element'),
    ("index-large", "c[12]", 1, 3, "index 12 at column 3 is outside 0 to 11 (or -12 to -1 from the end)"),
    ("index-small", "c[-13]", 1, 3, "index -13 at column 3 is outside 0 to 11 (or -12 to -1 from the end)"),
    ("index-huge", "c[1e300]", 1, 3, "index 1e+300 at column 3 is outside 0 to 11 (or -12 to -1 from the end)"),
    ("index-fraction", "c[1.5]", 1, 3, "the index at column 3 is not a whole number"),
    ("index-of-an-output", "c[t]", 1, 3, "the index at column 3 is not known before the outputs are: it must be a number"),
    ("index-not-a-number", "c[0/0]", 1, 3, "the index at column 3 is not a whole number"),
    ("index-missing", "c[]", 1, 3, "the index at column 3 is missing: write [3] or [0:4]"),
    ("index-never-closed", "c[3", 1, 2, '"[" at column 2 is never closed'),
    ("index-of-two", "c[1, 2]", 1, 4, 'unexpected "," at column 4, "]" expected'),
    ("slice-empty", "sum(c[4:4])", 1, 7, "the slice 4:4 at column 7 has no elements"),
    ("slice-backwards", "sum(c[-1:2])", 1, 7, "the slice 11:2 at column 7 has no elements"),
    ("slice-step", "sum(c[0:4:2])", 1, 10, 'a slice has no step: ":" at column 10'),
    ("vector-empty", "sum([])", 1, 5, "the vector at column 5 has no elements"),
    ("vector-never-closed", "sum([1, 2", 1, 5, '"[" at column 5 is never closed'),
    ("vector-without-commas", "sum([1 2])", 1, 8, 'unexpected "2" at column 8, "," or "]" expected'),
    ("open-never-closed", "(t + 1", 1, 1, '"(" at column 1 is never closed'),
    ("call-never-closed", "2*sum(c", 1, 6, '"(" at column 6 is never closed'),
    ("close-without-open", "t + 1)", 1, 6, 'unexpected ")" at column 6, an operator or the end expected'),
    ("ends-early", "t +", 1, 4, 'the expression ends at column 4, a number, a name or "(" expected'),
    ("starts-with-operator", "* t", 1, 1, 'unexpected "*" at column 1, a number, a name or "(" expected'),
    ("comma-alone", "t, E", 1, 2, 'unexpected "," at column 2, an operator or the end expected'),
    ("no-operator", "2 t", 1, 3, 'an operator is missing before "t" at column 3: write "*" to multiply'),
    ("no-operator-in-parentheses", "(2 t)", 1, 4, 'unexpected "t" at column 4, an operator or ")" expected'),
    ("power-of-python", "t**2", 1, 2, '"**" at column 2 has no meaning here: a power is written ^'),
    ("and-of-c", "where(t > 0 && E > 0, 1, 2)", 1, 13, '"&&" at column 13 has no meaning here: write "and"'),
    ("single-equal", "where(t = 0, 1, 2)", 1, 9, '"=" at column 9 has no meaning here: a comparison is written =='),
    ("not-of-c", "where(!t, 1, 2)", 1, 7, '"!" at column 7 has no meaning here: write "not"'),
    ("matrix-product", "w @ stress", 1, 3, '"@" at column 3 has no meaning here: write dot(a, b)'),
    ("character", "t # 2", 1, 3, 'unexpected character "#" at column 3'),
    ("character-of-two-bytes", "t + \u00acM", 1, 5, 'unexpected character "\u00ac" at column 5'),
    ("letters-of-two-bytes", "t + \u00e9t\u00e9", 1, 5, 'unknown name "\u00e9t\u00e9" at column 5: there are c, t, stress, E, density, M, D, length, observed, sigma, w'),
    ("times-sign", "2\u00d7t", 1, 2, '"\u00d7" at column 2 has no meaning here: write *'),
    ("superscript", "t\u00b2", 1, 2, '"\u00b2" at column 2 has no meaning here: write ^2'),
    ("byte", b"t + \xff", 1, 5, "unexpected byte 0xff at column 5"), ("control", b"t \x01", 1, 3, "unexpected byte 0x01 at column 3"),
    ("column-counts-characters", "t \u00b1 1", 1, 3, 'a tolerance at column 3 without "==": write a == b +- 0.01'),
    ("tolerance-zero", "where(t == 1 +- 0, 1, 2)", 1, 14, "the tolerance at column 14 is 0, not above 0"),
    ("number-large", "1e999", 1, 1, "the number 1e999 at column 1 is too large"),
    ("number-long", "0." + "1" * 80, 1, 1, "the number at column 1 has too many digits"),
    ("number-then-name", "2e", 1, 2, 'an operator is missing before "e" at column 2: write "*" to multiply'),
    ("deep", deep, 1, 129, "too many levels of nesting at column 129"),
    ("deep-minus", "-" * 1000 + "t", 1, 256, "too many levels of nesting at column 256"),
    ("deep-not", "not " * 1000 + "t", 1, 1021, "too many levels of nesting at column 1021"),
    ("long", "t" + " + t" * 20000, 0, 0, "the expression has more than 65536 characters"),
]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


for kind in ("valid", "invalid"):
    shutil.rmtree(here / kind, ignore_errors=True)
write(here / "symbols", "".join(f"{kind} {name} {' '.join(repr(float(v)) for v in values)}\n" for kind, name, values in symbols))
for name, text, kind, *python in valid:
    value = float(eval(python[0] if python else text.replace("^", "**").replace("\n", ""), names))
    write(here / "valid" / name / "input", text)
    write(here / "valid" / name / "value", f"{value!r}\n")
    write(here / "valid" / name / "kind", f"{kind}\n")
for name, text, line, column, message in invalid:
    write(here / "invalid" / name / "input", text)
    write(here / "invalid" / name / "error", f"{line}:{column}: {message}\n")
print(len(valid), "valid,", len(invalid), "invalid")
