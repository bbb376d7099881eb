/** The environment of a container. Source: kubernetes v1.34 pkg/kubelet `makeEnvironmentVariables`. */
import { ownMember } from '../../../../shared/kube/json/own-member.ts';
import type { AgentPod } from '../agent-pod.ts';
import type { Container } from '../container.ts';
import type { EnvFrom, EnvSource, KeyRef, ObjectRef, ResourceFieldRef } from '../env-var.ts';
import { expanded } from './expansion.ts';
import { type PodAddresses, podField } from './pod-fields.ts';
import { resourceField } from './resource-field.ts';

/** Values by key. Those of a Secret are decoded. */
type Data = Readonly<Record<string, string>>;

export interface EnvironmentFacts extends PodAddresses {
  readonly pod: AgentPod;
  readonly container: Container;
  /** Of the pod's namespace, by name; those that are not there are absent. */
  readonly configMaps: ReadonlyMap<string, Data>;
  readonly secrets: ReadonlyMap<string, Data>;
  /** Of the node. */
  readonly allocatable: Data;
  /** Variables of the namespace's Services. They come last. */
  readonly services: Data;
}

/** What keeps the container from starting. Its status says `CreateContainerConfigError`. */
export interface EnvironmentFault {
  readonly fault: string;
}

/** A value; or `undefined` where an optional source is missing, so that the variable is not set. */
type Value = string | undefined | EnvironmentFault;

type Source = 'configmap' | 'secret';

const KINDS = { configmap: 'ConfigMap', secret: 'Secret' } as const;

const isFault = (value: unknown): value is EnvironmentFault =>
  typeof value === 'object' && value !== null && 'fault' in value;

/** The entries of a ConfigMap or Secret; `undefined` if it is optional and not there. */
const entriesOf = (
  { configMaps, secrets }: EnvironmentFacts,
  source: Source,
  { name = '', optional }: ObjectRef,
): ReadonlyMap<string, string> | undefined | EnvironmentFault => {
  const data = (source === 'configmap' ? configMaps : secrets).get(name);
  if (data) return new Map(Object.entries(data));
  return optional === true ? undefined : { fault: `${source} "${name}" not found` };
};

const keyValue = (facts: EnvironmentFacts, source: Source, ref: KeyRef): Value => {
  const entries = entriesOf(facts, source, ref);
  if (entries === undefined || isFault(entries)) return entries;
  const value = entries.get(ref.key);
  if (value !== undefined || ref.optional === true) return value;
  const { namespace = '' } = facts.pod.metadata;
  return { fault: `couldn't find key ${ref.key} in ${KINDS[source]} ${namespace}/${ref.name ?? ''}` };
};

const resourceValue = ({ pod, container, allocatable }: EnvironmentFacts, ref: ResourceFieldRef): Value => {
  const { containerName = '', resource } = ref;
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const owner = containerName === '' ? container : all.find(({ name }) => name === containerName);
  if (!owner) return { fault: `container ${containerName} not found` };
  return resourceField(owner, ref, allocatable) ?? { fault: `unsupported container resource : ${resource}` };
};

const sourceValue = (facts: EnvironmentFacts, from: EnvSource): Value => {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = from;
  if (fieldRef)
    return (
      podField(facts.pod, fieldRef.fieldPath, facts) ?? {
        fault: `unsupported fieldPath: ${fieldRef.fieldPath}`,
      }
    );
  if (resourceFieldRef) return resourceValue(facts, resourceFieldRef);
  if (configMapKeyRef) return keyValue(facts, 'configmap', configMapKeyRef);
  return secretKeyRef ? keyValue(facts, 'secret', secretKeyRef) : '';
};

const addAll = (
  facts: EnvironmentFacts,
  variables: Map<string, string>,
  { prefix = '', configMapRef, secretRef }: EnvFrom,
): EnvironmentFault | undefined => {
  const ref = configMapRef ?? secretRef;
  if (!ref) return undefined;
  const entries = entriesOf(facts, configMapRef ? 'configmap' : 'secret', ref);
  if (isFault(entries)) return entries;
  for (const [key, value] of entries ?? []) variables.set(`${prefix}${key}`, value);
  return undefined;
};

/** References see the variables declared before, then those of Services. */
const valueFor = (
  facts: EnvironmentFacts,
  variables: ReadonlyMap<string, string>,
  { value = '', valueFrom }: NonNullable<Container['env']>[number],
): Value => {
  if (value !== '') return expanded(value, (name) => variables.get(name) ?? ownMember(facts.services, name));
  return valueFrom ? sourceValue(facts, valueFrom) : '';
};

/** The variables; or the first fault. A later variable replaces an earlier one of its name. */
export const environmentOf = (facts: EnvironmentFacts): ReadonlyMap<string, string> | EnvironmentFault => {
  const { container, services } = facts;
  const variables = new Map<string, string>();
  for (const from of container.envFrom ?? []) {
    const fault = addAll(facts, variables, from);
    if (fault) return fault;
  }
  for (const variable of container.env ?? []) {
    const value = valueFor(facts, variables, variable);
    if (isFault(value)) return value;
    if (value !== undefined) variables.set(variable.name, value);
  }
  for (const [name, value] of Object.entries(services)) if (!variables.has(name)) variables.set(name, value);
  return variables;
};

/** Command and arguments with their references replaced. */
export const commandOf = (
  { command = [], args = [] }: Container,
  variables: ReadonlyMap<string, string>,
): Required<Pick<Container, 'command' | 'args'>> => ({
  command: command.map((one) => expanded(one, (name) => variables.get(name))),
  args: args.map((one) => expanded(one, (name) => variables.get(name))),
});

/** Names of the ConfigMaps and Secrets that the container's environment needs. */
export const environmentSources = ({
  env = [],
  envFrom = [],
}: Pick<Container, 'env' | 'envFrom'>): {
  readonly configMaps: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
} => {
  const names = (refs: readonly (ObjectRef | undefined)[]): ReadonlySet<string> =>
    new Set(refs.flatMap((ref) => ref?.name ?? []));
  const keys = env.map(({ valueFrom }) => valueFrom);
  return {
    configMaps: names([
      ...envFrom.map((one) => one.configMapRef),
      ...keys.map((one) => one?.configMapKeyRef),
    ]),
    secrets: names([...envFrom.map((one) => one.secretRef), ...keys.map((one) => one?.secretKeyRef)]),
  };
};
