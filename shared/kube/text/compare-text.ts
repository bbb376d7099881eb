/** Compares by UTF-16 code units, regardless of the machine's locale. For ASCII this is the order of Go's `sort.Strings`. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
