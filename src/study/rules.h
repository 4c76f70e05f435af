/* When the engine accepts a proposal (section 8.6 of docs/method.md). best_ei: the largest expected
 * improvement, NaN where there is nothing to improve on. */
#ifndef STUDY_RULES_H
#define STUDY_RULES_H

#include "study/search_state.h"

/* Such proposals are made only where they are needed. */
int rule_always(const search_state *s, double best_ei, const proposal *p);
/* The study is for something else than the best f, which made the proposal. */
int rule_goal(const search_state *s, double best_ei, const proposal *p);
/* All evaluations so far gave the same. */
int rule_flat(const search_state *s, double best_ei, const proposal *p);
/* The model found noise. */
int rule_noisy(const search_state *s, double best_ei, const proposal *p);
/* The gain is worth going away from the incumbent for. */
int rule_worthwhile(const search_state *s, double best_ei, const proposal *p);
/* So little is expected anywhere that there is no going away from the incumbent for it. */
int rule_little_expected(const search_state *s, double best_ei, const proposal *p);
/* A local step that gains about as much as is expected anywhere, if the model is sure of that, or
 * if little is expected anywhere. Every fourth suggestion it is enough that next to nothing is. */
int rule_beats_improvement(const search_state *s, double best_ei, const proposal *p);
/* An improvement is expected, or nothing feasible is known. */
int rule_improvement_left(const search_state *s, double best_ei, const proposal *p);
/* The model's mean is better than the incumbent by more than next to nothing. */
int rule_better_mean(const search_state *s, double best_ei, const proposal *p);
/* A local step, as long as they gain what they predict. */
int rule_reliable(const search_state *s, double best_ei, const proposal *p);

#endif
