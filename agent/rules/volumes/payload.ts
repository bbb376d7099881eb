/** The files of a volume. Source: kubernetes v1.34 pkg/volume/{configmap,secret,downwardapi,projected}. */
import { aggregateText } from '../aggregate-text.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import { type PodAddresses, podField } from '../containers/environment/pod-fields.ts';
import { resourceField } from '../containers/environment/resource-field.ts';
import type { DataSource, DownwardItem, Projection, TokenSource } from './volume.ts';

/** Values by key; `binaryData` of a ConfigMap, and `data` of a Secret, are base64. */
export interface DataObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
  /** Of a Secret. */
  readonly type?: string;
}

export interface PayloadFile {
  readonly data: Uint8Array;
  readonly mode: number;
  /** Whose file it is; absent: root's. */
  readonly uid?: number;
}

/** By path in the volume. */
export type Payload = ReadonlyMap<string, PayloadFile>;

export interface PayloadFacts extends PodAddresses {
  readonly pod: AgentPod;
  readonly defaultMode: number;
  /** Of the node. */
  readonly allocatable: Readonly<Record<string, string>>;
  readonly configMap: (name: string) => DataObject | undefined;
  readonly secret: (name: string) => DataObject | undefined;
  /** The token of a source, or why there is none. */
  readonly token: (source: TokenSource) => { readonly token: string } | { readonly fault: string };
}

/** Paths and contents; or what is wrong. */
type Part = { readonly files: readonly (readonly [string, PayloadFile])[] } | { readonly fault: string };

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const decoded = (base64: string): Uint8Array => Buffer.from(base64, 'base64');

const entries = (
  members: Readonly<Record<string, string>> | undefined,
  read: (value: string) => Uint8Array,
): readonly (readonly [string, Uint8Array])[] =>
  Object.entries(members ?? {}).map(([key, value]) => [key, read(value)]);

const WORDS = {
  configMap: { kind: 'configmap', missingKey: 'configmap references non-existent config key: ' },
  secret: { kind: 'secret', missingKey: 'references non-existent secret key: ' },
} as const;

const contents = (kind: keyof typeof WORDS, { data, binaryData }: DataObject) =>
  new Map(
    kind === 'secret' ? entries(data, decoded) : [...entries(data, bytes), ...entries(binaryData, decoded)],
  );

/** A source that is optional may lack, and so may each of its keys. */
const fromObject = (
  kind: keyof typeof WORDS,
  { name = '', items, optional = false }: DataSource,
  facts: PayloadFacts,
): Part => {
  const object = facts[kind](name);
  if (!object && !optional) return { fault: `${WORDS[kind].kind} "${name}" not found` };
  const all = contents(kind, object ?? {});
  const wanted = items ?? [...all.keys()].map((key) => ({ key, path: key }));
  const missing = wanted.find(({ key }) => !all.has(key));
  if (missing && !optional) return { fault: `${WORDS[kind].missingKey}${missing.key}` };
  return {
    files: wanted.flatMap(({ key, path, ...rest }) => {
      const data = all.get(key);
      const mode = 'mode' in rest ? rest.mode : undefined;
      return data ? [[path, { data, mode: mode ?? facts.defaultMode }] as const] : [];
    }),
  };
};

const downwardText = (
  { fieldRef, resourceFieldRef }: DownwardItem,
  facts: PayloadFacts,
): string | undefined => {
  const { pod, allocatable } = facts;
  if (fieldRef) return podField(pod, fieldRef.fieldPath, facts);
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const owner = all.find(({ name }) => name === resourceFieldRef?.containerName);
  return owner && resourceFieldRef && resourceField(owner, resourceFieldRef, allocatable);
};

const fromPod = (items: readonly DownwardItem[], facts: PayloadFacts): Part => {
  const files: (readonly [string, PayloadFile])[] = [];
  for (const item of items) {
    const text = downwardText(item, facts);
    const { fieldRef, resourceFieldRef, path, mode } = item;
    if (text === undefined)
      return {
        fault: `unable to extract ${fieldRef?.fieldPath ?? resourceFieldRef?.resource ?? 'nothing'} for ${path}`,
      };
    files.push([path, { data: bytes(text), mode: mode ?? facts.defaultMode }]);
  }
  return { files };
};

interface Identity {
  readonly runAsUser?: number;
  readonly fsGroup?: number;
}

const identityOf = (one: { readonly [field: string]: unknown }): Identity => one['securityContext'] ?? {};

/** The user as whom all containers of the pod run; `undefined` if there is no such one. Source: kubernetes v1.34 `FsUserFrom`. */
const onlyUser = ({ spec }: AgentPod): number | undefined => {
  const ofPod = identityOf(spec).runAsUser;
  const users = new Set(
    [...(spec.initContainers ?? []), ...spec.containers].map((one) => identityOf(one).runAsUser ?? ofPod),
  );
  return users.size === 1 ? [...users][0] : undefined;
};

/** A token is read by its owner only, where that is known. */
const fromToken = (source: TokenSource, facts: PayloadFacts): Part => {
  const answer = facts.token(source);
  if ('fault' in answer) return answer;
  const uid = onlyUser(facts.pod);
  const isPrivate = uid !== undefined || identityOf(facts.pod.spec).fsGroup !== undefined;
  const mode = isPrivate ? 0o600 : facts.defaultMode;
  return { files: [[source.path, { data: bytes(answer.token), mode, ...(uid !== undefined && { uid }) }]] };
};

const partOf = (source: Projection, facts: PayloadFacts): Part => {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap) return fromObject('configMap', configMap, facts);
  if (secret) return fromObject('secret', secret, facts);
  if (downwardAPI) return fromPod(downwardAPI.items ?? [], facts);
  if (serviceAccountToken) return fromToken(serviceAccountToken, facts);
  return { fault: `this agent has no volume source ${Object.keys(source).join(', ')}` };
};

const isSafe = (path: string): boolean =>
  path !== '' && !path.startsWith('/') && !path.startsWith('..') && !path.split('/').includes('..');

/** The files, or all that is wrong. Of two files with one path the later source counts. */
export const payloadOf = (
  sources: readonly Projection[],
  facts: PayloadFacts,
): { readonly files: Payload } | { readonly fault: string } => {
  const parts = sources.map((source) => partOf(source, facts));
  const fault = aggregateText(parts.flatMap((part) => ('fault' in part ? [part.fault] : [])));
  if (fault !== undefined) return { fault };
  const files = parts.flatMap((part) => ('files' in part ? part.files : []));
  const unsafe = files.find(([path]) => !isSafe(path));
  return unsafe
    ? { fault: `invalid path: "${unsafe[0]}" leads out of the volume` }
    : { files: new Map(files) };
};
