/** What Kubernetes allows as names, label keys and label values. Source: apimachinery v1.34 `util/validation`. */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
/** A DNS subdomain. No label has a dot, so a label is tried again within itself only: the steps grow as the length of the name. */
export const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;

const compiled = new Map<string, RegExp>();

/** Compiles each pattern once. All patterns come from this repository, so the cache stays small. */
const expressionOf = (pattern: string): RegExp => {
  const known = compiled.get(pattern) ?? new RegExp(`^${pattern}$`);
  compiled.set(pattern, known);
  return known;
};

/** Whether all of `value` has the pattern. */
export const matches = (pattern: string, value: string): boolean => expressionOf(pattern).test(value);

/** A message of Kubernetes about a pattern. */
export const described = (message: string, pattern: string, ...examples: readonly string[]): string =>
  `${message} (e.g. ${examples.map((one) => `'${one}', `).join(' or ')}regex used for validation is '${pattern}')`;

const atMost = (length: number): string => `must be no more than ${length} characters`;

/** Faults of `value` as a DNS subdomain (at most 253 characters): names of nodes, pods, leases. */
export const dnsSubdomainFaults = (value: string): readonly string[] => [
  ...(value.length > 253 ? [atMost(253)] : []),
  ...(matches(SUBDOMAIN, value)
    ? []
    : [
        described(
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
          SUBDOMAIN,
          'example.com',
        ),
      ]),
];

const labelFault = (value: string): string =>
  matches(SUBDOMAIN, value)
    ? 'must not contain dots'
    : described(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        LABEL,
        'my-name',
        '123-abc',
      );

/** Faults of `value` as a DNS label (at most 63 characters): namespaces, container names. */
export const dnsLabelFaults = (value: string): readonly string[] => [
  ...(value.length > 63 ? [atMost(63)] : []),
  ...(matches(LABEL, value) ? [] : [labelFault(value)]),
];

const UNDERSCORE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const UNDERSCORE_SUBDOMAIN = `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`;

/**
 * Faults of `value` as a DNS subdomain that may contain underscores, such as `_http._tcp.example.com` (at most 253
 * characters).
 */
export const underscoreSubdomainFaults = (value: string): readonly string[] => [
  ...(value.length > 253 ? [atMost(253)] : []),
  ...(matches(UNDERSCORE_SUBDOMAIN, value)
    ? []
    : [
        described(
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
          UNDERSCORE_SUBDOMAIN,
          'example.com',
        ),
      ]),
];

const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** Faults of `value` as a DNS label that starts with a letter: names of Services. */
export const labelName1035Faults = (value: string): readonly string[] => [
  ...(value.length > 63 ? [atMost(63)] : []),
  ...(matches(LABEL_1035, value)
    ? []
    : [
        described(
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
          LABEL_1035,
          'my-name',
          'abc-123',
        ),
      ]),
];

const QUALIFIED_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_EXAMPLES = ['MyName', 'my.name', '123-abc'] as const;

const namePartFaults = (name: string): readonly string[] => [
  ...(name === '' ? ['name part must be non-empty'] : []),
  ...(name.length > 63 ? [`name part ${atMost(63)}`] : []),
  ...(matches(QUALIFIED, name)
    ? []
    : [`name part ${described(QUALIFIED_RULE, QUALIFIED, ...QUALIFIED_EXAMPLES)}`]),
];

const prefixFaults = (prefix: string): readonly string[] =>
  prefix === ''
    ? ['prefix part must be non-empty']
    : dnsSubdomainFaults(prefix).map((fault) => `prefix part ${fault}`);

/** Faults of `value` as `[prefix/]name`: label and taint keys, finalizers. */
export const qualifiedNameFaults = (value: string): readonly string[] => {
  const parts = value.split('/', 3);
  const [first = '', second] = parts;
  if (parts.length > 2)
    return [
      `a qualified name ${described(QUALIFIED_RULE, QUALIFIED, ...QUALIFIED_EXAMPLES)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  return second === undefined ? namePartFaults(first) : [...prefixFaults(first), ...namePartFaults(second)];
};

/** Faults of `value` as the value of a label or a taint (at most 63 characters, may be empty). */
export const labelValueFaults = (value: string): readonly string[] => [
  ...(value.length > 63 ? [atMost(63)] : []),
  ...(matches(LABEL_VALUE, value)
    ? []
    : [
        described(
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
          LABEL_VALUE,
          'MyValue',
          'my_value',
          '12345',
        ),
      ]),
];
