/** NodeLifecyclePolicies of scenarios and files, checked as the API checks them. */
import '../../shared/kube/schema/rare-messages.ts';
import { parseAllDocuments } from 'yaml';
import { validateMetadata } from '../../shared/kinds/fields/metadata.ts';
import { validateLifecyclePolicy } from '../../shared/kinds/policies/validate-lifecycle-policy.ts';
import { defaultLifecyclePolicy } from '../../shared/kube/defaults/lifecycle-policy.ts';
import type { FieldError } from '../../shared/kube/errors/field-error.ts';
import { isObject } from '../../shared/kube/json/json-object.ts';
import { DecodeError, decode } from '../../shared/kube/schema/decode.ts';
import { kindSchema } from '../../shared/kube/schema/schema-of.ts';
import type { LifecyclePolicy } from '../../shared/kube/types/lifecycle-policy.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import { LIFECYCLE_POLICIES, tieOf } from '../../shared/rules/policies/policy-order.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { type Cursor, type Field, refuse, ScenarioError } from './yaml-fields.ts';

const KIND = { apiVersion: 'rollcall.dev/v1', kind: 'NodeLifecyclePolicy' } as const;
const SCHEMA = kindSchema('rollcall.v1.NodeLifecyclePolicy');

const textOf = ({ field, message }: FieldError): string => `${field}: ${message}`;

const isPolicy = (object: object): object is LifecyclePolicy => 'metadata' in object;

/** The policy in a value. Throws a `ScenarioError` that names `where`. */
const policyIn = (value: unknown, where: string): LifecyclePolicy => {
  const fail = (problem: string): never => {
    throw new ScenarioError(`${where}: ${problem}`);
  };
  const { apiVersion, kind } = isObject(value) ? value : {};
  if (apiVersion !== KIND.apiVersion || kind !== KIND.kind)
    return fail(`not a ${KIND.kind} of ${KIND.apiVersion}`);
  const faults: string[] = [];
  let policy: object;
  try {
    policy = decode(value, SCHEMA, faults);
  } catch (error) {
    if (error instanceof DecodeError) return fail(error.message);
    throw error;
  }
  if (!isPolicy(policy)) return fail('metadata.name: Required value');
  const whole = defaultLifecyclePolicy(policy);
  const errors = [
    ...validateMetadata(whole.metadata, { namespaced: false }),
    ...validateLifecyclePolicy(whole),
  ];
  const [first] = [...faults, ...errors.map(textOf)];
  return first === undefined ? whole : fail(first);
};

/** Throws a `ScenarioError` for two policies of one name, and for a tie. */
const checkTogether = (policies: readonly LifecyclePolicy[], where: string): void => {
  for (const [index, policy] of policies.entries()) {
    const before = policies.slice(0, index);
    const { name } = policy.metadata;
    if (before.some(({ metadata }) => metadata.name === name))
      throw new ScenarioError(`${where}: there are two policies ${name}`);
    const tie = tieOf(policy, before);
    if (tie)
      throw new ScenarioError(
        `${where}: policy ${name} can select the same nodes as policy ${tie.metadata.name}, which is as specific; give one of the two a higher spec.priority`,
      );
  }
};

const itemsOf = (value: unknown): readonly unknown[] => {
  if (value === null) return [];
  return isObject(value) && Array.isArray(value['items']) ? value['items'] : [value];
};

/** The policies of a file: one or several YAML documents, or a list of `kubectl get -o yaml`. Throws a `ScenarioError`. */
export const policiesFrom = (source: string, file: string): readonly LifecyclePolicy[] => {
  const documents = [...parseAllDocuments(source)];
  const broken = documents.find(({ errors }) => errors.length > 0);
  if (broken) throw new ScenarioError(`${file}: not valid YAML: ${broken.errors[0]?.message.split('\n')[0]}`);
  const policies = documents
    .flatMap((document) => itemsOf(document.toJS()))
    .map((value) => policyIn(value, file));
  if (policies.length === 0) throw new ScenarioError(`${file}: it has no ${KIND.kind}`);
  checkTogether(policies, file);
  return policies;
};

const ACCEPTS = 'a list of policies, each with a name and a spec';

const lineOf = (at: Cursor): string => at.lineOf(at.node?.range?.[0] ?? at.offset);

/** The field of a scenario for policies: `{ name, spec }` each. */
export const POLICIES: Field<readonly LifecyclePolicy[]> = {
  accepts: ACCEPTS,
  read: (at) => {
    const value: unknown = at.node?.toJSON();
    if (!Array.isArray(value)) return refuse(at, ACCEPTS);
    const policies = value.map((one: unknown) => {
      const { name, spec, ...others } = isObject(one) ? one : {};
      return policyIn({ ...KIND, metadata: { name }, spec, ...others }, lineOf(at));
    });
    checkTogether(policies, lineOf(at));
    return policies;
  },
};

/** Stores the policies of a plan, as a client does. */
export const storePolicies = async (
  writer: ObjectWriter,
  policies: readonly LifecyclePolicy[],
): Promise<void> => {
  for (const { metadata, spec = {} } of policies) {
    const { name } = metadata;
    await writer.write({ resource: LIFECYCLE_POLICIES, namespace: '', name }, (_row, now) => {
      const born = { name, uid: `policy-${name}`, generation: 1, creationTimestamp: toTime(now) };
      const next: LifecyclePolicy = { ...KIND, metadata: born, spec, status: {} };
      return { next, writer: 'client' };
    });
  }
};
