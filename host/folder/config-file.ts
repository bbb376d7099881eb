import { parseDocument } from 'yaml';
import { HostProblem } from '../../shared/serving/http/problem.ts';

/** The settings in a file, YAML or JSON. Throws a `HostProblem` that names file and line. */
export const parseConfigFile = (text: string, path: string): Readonly<Record<string, unknown>> => {
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault) throw new HostProblem(`${path}: ${fault.message.split('\n')[0]}`);
  const value: unknown = document.toJS() ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  throw new HostProblem(`${path}: must hold settings by name, such as "nodeMonitorGracePeriod: 50s"`);
};
