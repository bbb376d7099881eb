/** The order of Go's `sort.Strings` for ASCII: by UTF-16 code units, whatever the language of the machine. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
