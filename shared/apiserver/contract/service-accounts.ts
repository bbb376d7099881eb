/** User names and groups of service accounts. Source: apiserver v1.34 `authentication/serviceaccount`. */
const PREFIX = 'system:serviceaccount:';
const GROUP = 'system:serviceaccounts';

/** Namespace and name of a service account. */
export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** The service account of a user name such as `system:serviceaccount:default:builder`; `undefined` for other users. */
export const accountOf = (user: string): AccountName | undefined => {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(PREFIX.length).split(':');
  return NAME.test(namespace) && NAME.test(name) && rest.length === 0 ? { namespace, name } : undefined;
};

/** The two groups of a service account: that of all accounts, and that of its namespace. */
export const accountGroups = ({ namespace }: AccountName): readonly string[] => [
  GROUP,
  `${GROUP}:${namespace}`,
];
