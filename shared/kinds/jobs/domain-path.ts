/** Rules for names such as `acme.io/foo`. Source: apimachinery v1.34 `validation.IsDomainPrefixedPath`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required } from '../../kube/errors/field-error.ts';
import { dnsSubdomainFaults } from '../../kube/values/names.ts';

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH_RULE = `Invalid path (regex used for validation is '${PATH}')`;
const WHOLE_PATH = new RegExp(`^${PATH}$`);

export const domainPathFaults = (value: string, field: string): readonly FieldError[] => {
  if (value === '') return [required(field)];
  const slash = value.indexOf('/');
  const [domain, path] = [value.slice(0, slash), value.slice(slash + 1)];
  if (slash <= 0 || path === '')
    return [invalidValue(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...dnsSubdomainFaults(domain).map((fault) => invalidValue(field, domain, fault)),
    ...(WHOLE_PATH.test(path) ? [] : [invalidValue(field, path, PATH_RULE)]),
  ];
};
