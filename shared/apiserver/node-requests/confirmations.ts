/** The body of a NodeWorkReport, checked field by field. */
import {
  duplicate,
  type FieldError,
  invalidObject,
  invalidValue,
  required,
} from '../../kube/errors/field-error.ts';
import { isObject, type JsonObject } from '../../kube/json/json-object.ts';

/** What a machine says about one of its pods. */
export interface Confirmation {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Merged into the pod's status. */
  readonly status?: JsonObject;
  /** Nothing of the pod is left on the machine: a pod that is being deleted goes. */
  readonly gone: boolean;
}

/** Most pods of one report. */
const MOST_PODS = 50;
const KIND = { group: 'rollcall.dev', kind: 'NodeWorkReport' } as const;
const NAMES = ['namespace', 'name', 'uid'] as const;
const FIELDS: readonly string[] = [...NAMES, 'status', 'gone'];

const namesFaults = (field: string, pod: JsonObject): readonly FieldError[] =>
  NAMES.flatMap((part) => {
    const value = pod[part];
    if (value === undefined || value === '') return [required(`${field}.${part}`)];
    return typeof value === 'string' ? [] : [invalidValue(`${field}.${part}`, value, 'must be a string')];
  });

const contentFaults = (field: string, { status, gone }: JsonObject): readonly FieldError[] => [
  ...(status === undefined || isObject(status)
    ? []
    : [invalidValue(`${field}.status`, status, 'must be the status of a Pod')]),
  ...(gone === undefined || typeof gone === 'boolean'
    ? []
    : [invalidValue(`${field}.gone`, gone, 'must be true or false')]),
  ...(status === undefined && gone !== true
    ? [invalidValue(field, 'nothing', 'must have a status, or gone: true')]
    : []),
];

const podFaults = (pod: unknown, index: number): readonly FieldError[] => {
  const field = `pods[${index}]`;
  if (!isObject(pod)) return [invalidValue(field, pod, 'must be an object with namespace, name and uid')];
  const unknown = Object.keys(pod).filter((key) => !FIELDS.includes(key));
  return [
    ...unknown.map((key) => invalidValue(`${field}.${key}`, pod[key], `must be one of ${FIELDS.join(', ')}`)),
    ...namesFaults(field, pod),
    ...contentFaults(field, pod),
  ];
};

const repeated = (pods: readonly unknown[]): readonly FieldError[] => {
  const paths = pods.map((pod) =>
    isObject(pod) ? `${String(pod['namespace'])}/${String(pod['name'])}` : '',
  );
  const first = new Map(paths.map((path, index) => [path, index] as const).toReversed());
  return paths.flatMap((path, index) =>
    path === '' || first.get(path) === index ? [] : [duplicate(`pods[${index}]`, path)],
  );
};

const faultsOf = (pods: unknown): readonly FieldError[] => {
  if (!Array.isArray(pods)) return [required('pods')];
  if (pods.length > MOST_PODS)
    return [
      invalidValue('pods', pods.length, `must be at most ${MOST_PODS}; send the others in a next report`),
    ];
  return [...pods.flatMap(podFaults), ...repeated(pods)];
};

const confirmationOf = ({ namespace, name, uid, status, gone }: JsonObject): Confirmation => ({
  namespace: String(namespace),
  name: String(name),
  uid: String(uid),
  gone: gone === true,
  ...(isObject(status) ? { status } : {}),
});

/** Throws 422 that names each wrong field. */
export const readConfirmations = (body: unknown): readonly Confirmation[] => {
  const pods = isObject(body) ? body['pods'] : undefined;
  const faults = faultsOf(pods);
  if (faults.length > 0) throw invalidObject(KIND, '', faults);
  return (pods as readonly JsonObject[]).map(confirmationOf);
};
