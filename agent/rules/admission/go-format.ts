/** What Go makes of a text that it takes for a format, without arguments. Source: Go `fmt` `doPrintf`. */

const ARGUMENT = String.raw`(?:\[[^\]]*\])?`;
const DIRECTIVE = new RegExp(
  `%[#0+ -]*(${ARGUMENT})(\\*|\\d*)(?:\\.(${ARGUMENT})(\\*|\\d*))?(${ARGUMENT})(.?)`,
  'gsu',
);

const ending = (verb: string, isIndexed: boolean): string => {
  if (verb === '') return '%!(NOVERB)';
  if (verb === '%') return '%';
  return `%!${verb}(${isIndexed ? 'BADINDEX' : 'MISSING'})`;
};

/** The text that `Sprintf(text)` returns: each verb is replaced by the complaint that its argument is missing. */
export const formattedWithoutArguments = (text: string): string =>
  text.replaceAll(
    DIRECTIVE,
    (_, first: string, width: string, second = '', precision = '', third: string, verb: string) =>
      (width === '*' ? '%!(BADWIDTH)' : '') +
      (precision === '*' ? '%!(BADPREC)' : '') +
      ending(verb, `${first}${second}${third}` !== ''),
  );
