/** `{ [name]: value }`, or nothing for `undefined`: for optional members, which must not be there without a value. */
export const optional = <K extends string, V>(name: K, value: V | undefined): { readonly [name in K]?: V } =>
  value === undefined ? {} : ({ [name]: value } as { [name in K]: V });
