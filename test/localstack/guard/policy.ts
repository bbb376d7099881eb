/** Whether the policies of a role allow a call, as IAM decides it for a caller of the same account. Source: IAM User Guide, "Policy evaluation logic". */

/** One action on one resource. A request is allowed if all its calls are. */
export interface AwsCall {
  /** `dynamodb:PutItem`. */
  readonly action: string;
  /** ARN, or `*` for an action without resources. */
  readonly resource: string;
  /** Values of condition keys that the request has, by their names in lower case. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

type OneOrMany = string | readonly string[];

/** A statement of a policy, as it is written. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: OneOrMany;
  readonly Resource: OneOrMany;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, OneOrMany>>>>;
}

/** Elements of a statement that are judged. Another one would be skipped silently. */
const ELEMENTS: readonly string[] = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];
/** Only the service knows the tags of a resource: these conditions count as met. */
const OF_THE_RESOURCE = 'aws:resourcetag/';

export const many = (value: OneOrMany): readonly string[] => (typeof value === 'string' ? [value] : value);

/** `*` stands for any characters, `?` for one. */
export const isLike = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(text);

type Compare = (wanted: string, value: string) => boolean;

const COMPARES: Readonly<Record<string, Compare>> = {
  StringEquals: (wanted, value) => wanted === value,
  StringLike: isLike,
  Bool: (wanted, value) => wanted.toLowerCase() === value.toLowerCase(),
};
/** True without a value, too. */
const FOR_ALL = 'ForAllValues:';

const isMet = (operator: string, wanted: OneOrMany, values: readonly string[] | undefined): boolean => {
  const isForAll = operator.startsWith(FOR_ALL);
  const compare = COMPARES[isForAll ? operator.slice(FOR_ALL.length) : operator];
  if (!compare) throw new Error(`the guard does not know the condition operator ${operator}`);
  const fits = (value: string): boolean => many(wanted).some((one) => compare(one, value));
  return isForAll ? (values ?? []).every(fits) : (values ?? []).some(fits);
};

const areMet = ({ Condition = {} }: Statement, { keys = {} }: AwsCall): boolean =>
  Object.entries(Condition).every(([operator, wanted]) =>
    Object.entries(wanted).every(([key, values]) => {
      const name = key.toLowerCase();
      return name.startsWith(OF_THE_RESOURCE) || isMet(operator, values, keys[name]);
    }),
  );

const isAbout = (statement: Statement, call: AwsCall): boolean =>
  many(statement.Action).some((action) => isLike(action.toLowerCase(), call.action.toLowerCase())) &&
  many(statement.Resource).some((resource) => isLike(resource, call.resource)) &&
  areMet(statement, call);

/** Throws for a statement with an element that is not judged. */
export const checkStatement = (statement: object): Statement => {
  const unknown = Object.keys(statement).find((name) => !ELEMENTS.includes(name));
  if (unknown !== undefined) throw new Error(`the guard does not know the policy element ${unknown}`);
  return statement as Statement;
};

/** Whether a role with these statements may make the call: one allows it, and none denies it. */
export const isAllowed = (statements: readonly Statement[], call: AwsCall): boolean => {
  const about = statements.filter((statement) => isAbout(statement, call));
  return about.length > 0 && about.every(({ Effect }) => Effect === 'Allow');
};
