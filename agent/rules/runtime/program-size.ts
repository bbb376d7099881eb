/** How much the kernel hands to a program. Source: Linux `execve(2)`, `MAX_ARG_STRLEN`; the space for all is a quarter of the stack. */

/** Bytes of one argument or variable, with the zero at its end. */
const MOST_OF_ONE = 131_072;

/** Bytes of all arguments and variables, with their zeros and pointers. */
const MOST_OF_ALL = 2 ** 21;

const POINTER = 8;

const bytesOf = (text: string): number => Buffer.byteLength(text) + 1;

const textOf = (bytes: number): string => `${bytes - 1} bytes`;

/** Why the kernel would not start a program with these; `undefined`: it does. */
export const sizeFault = (
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): string | undefined => {
  const sizes = [
    ...command.map((word, index) => [`argument ${index}`, bytesOf(word)] as const),
    ...Object.entries(environment).map(
      ([name, value]) => [`the environment variable ${name}`, bytesOf(`${name}=${value}`)] as const,
    ),
  ];
  const [what, size] = sizes.find(([, bytes]) => bytes > MOST_OF_ONE) ?? [];
  if (what !== undefined && size !== undefined)
    return `argument list too long: ${what} has ${textOf(size)}, and Linux gives a program at most ${textOf(MOST_OF_ONE)} in one`;
  const all = sizes.reduce((sum, [, bytes]) => sum + bytes + POINTER, 0);
  if (all <= MOST_OF_ALL) return undefined;
  return `argument list too long: arguments and environment have ${all} bytes, and Linux gives a program at most ${MOST_OF_ALL}`;
};
