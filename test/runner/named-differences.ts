/** Recorded answers that Rollcall deliberately does not give: the row of docs/differences.md that says why. */

/** By case of test/conformance/cases.json. */
export const NAMED_CASES: Readonly<Record<string, string>> = {};

/** By scenario and class of happenings of test/conformance/timelines. */
export const NAMED_HAPPENINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
