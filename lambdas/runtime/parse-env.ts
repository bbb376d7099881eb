import * as z from 'zod/mini';

type Variables = Readonly<Record<string, string | undefined>>;

const fault = ({ path, message }: z.core.$ZodIssue, given: Variables): string => {
  const name = path.join('.');
  const value = given[name];
  return value === undefined ? `${name} is missing: it ${message}` : `${name}=${value} ${message}`;
};

/** Whether a variable that may be absent is `on`. */
export const isOn = (name: string, given: Variables = process.env): boolean => given[name] === 'on';

/**
 * Parses the function's environment. Call it at module load, so that a wrong deployment fails at init.
 * Throws one error that names every missing or invalid variable.
 */
export const parseEnv = <Schema extends z.ZodMiniType>(
  schema: Schema,
  given: Variables = process.env,
): z.output<Schema> => {
  const parsed = z.safeParse(schema, given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => fault(issue, given));
  throw new Error(['The environment of this function is not valid:', ...faults].join('\n  - '));
};
