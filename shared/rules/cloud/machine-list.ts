/** The list of machines that a file or a webhook gives, checked field by field. */
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '../../kube/errors/field-error.ts';
import { isObject, type JsonObject } from '../../kube/json/json-object.ts';
import { ADDRESS_TYPES, INSTANCE_STATES, type Instance, type InstanceAddress } from './instance.ts';

/** The machines, or what is wrong with the list. */
export type MachineList =
  | { readonly machines: readonly Instance[] }
  | { readonly faults: readonly FieldError[] };

const MEMBERS = ['providerID', 'nodeName', 'state', 'instanceType', 'zone', 'region', 'addresses', 'labels'];
const TEXTS = ['nodeName', 'instanceType', 'zone', 'region'] as const;

const unknownMembers = (path: string, value: JsonObject, known: readonly string[]): readonly FieldError[] =>
  Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) =>
      invalidValue(`${path}.${name}`, value[name], `no such field; there are ${known.join(', ')}`),
    );

const textFaults = (path: string, value: unknown): readonly FieldError[] => {
  if (value === undefined) return [required(path)];
  return typeof value === 'string' && value !== '' ? [] : [invalidValue(path, value, 'must be a text')];
};

const stateFaults = (path: string, value: unknown): readonly FieldError[] => {
  if (value === undefined) return [required(path)];
  return INSTANCE_STATES.some((state) => state === value) ? [] : [notSupported(path, value, INSTANCE_STATES)];
};

const addressFaults = (path: string, value: unknown): readonly FieldError[] => {
  if (!isObject(value)) return [invalidValue(path, value, 'must be an object with type and address')];
  const { type, address } = value;
  const ofType = ADDRESS_TYPES.some((one) => one === type)
    ? []
    : [type === undefined ? required(`${path}.type`) : notSupported(`${path}.type`, type, ADDRESS_TYPES)];
  return [
    ...unknownMembers(path, value, ['type', 'address']),
    ...ofType,
    ...textFaults(`${path}.address`, address),
  ];
};

const addressesFaults = (path: string, value: unknown): readonly FieldError[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [invalidValue(path, value, 'must be a list')];
  return value.flatMap((one, index) => addressFaults(`${path}[${index}]`, one));
};

const labelsFaults = (path: string, value: unknown): readonly FieldError[] => {
  if (value === undefined) return [];
  if (!isObject(value)) return [invalidValue(path, value, 'must be an object')];
  return Object.entries(value)
    .filter(([, text]) => typeof text !== 'string')
    .map(([name, text]) => invalidValue(`${path}.${name}`, text, 'must be a text'));
};

const machineFaults = (value: unknown, path: string): readonly FieldError[] => {
  if (!isObject(value)) return [invalidValue(path, value, 'must be an object')];
  const optional = TEXTS.filter((name) => value[name] !== undefined);
  return [
    ...unknownMembers(path, value, MEMBERS),
    ...textFaults(`${path}.providerID`, value['providerID']),
    ...stateFaults(`${path}.state`, value['state']),
    ...optional.flatMap((name) => textFaults(`${path}.${name}`, value[name])),
    ...addressesFaults(`${path}.addresses`, value['addresses']),
    ...labelsFaults(`${path}.labels`, value['labels']),
  ];
};

const machineOf = (value: JsonObject): Instance => {
  const { providerID, state, addresses, labels } = value;
  const texts = TEXTS.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]);
  return {
    providerId: String(providerID),
    state: state as Instance['state'],
    ...Object.fromEntries(texts),
    ...(addresses === undefined ? {} : { addresses: addresses as readonly InstanceAddress[] }),
    ...(labels === undefined ? {} : { labels: labels as Record<string, string> }),
  };
};

const repeated = (machines: readonly Instance[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return machines.flatMap(({ providerId }, index) => {
    const isSecond = seen.has(providerId);
    seen.add(providerId);
    return isSecond ? [duplicate(`machines[${index}].providerID`, providerId)] : [];
  });
};

/** Reads `{ machines: [{ providerID, state, … }] }`. A list with any fault is refused as a whole: half a list would say that machines are gone. */
export const machinesFrom = (value: unknown): MachineList => {
  if (!isObject(value))
    return { faults: [invalidValue('machines', value, 'must be an object with a list "machines"')] };
  const { machines: given } = value;
  if (given === undefined) return { faults: [required('machines')] };
  if (!Array.isArray(given)) return { faults: [invalidValue('machines', given, 'must be a list')] };
  const faults = given.flatMap((one, index) => machineFaults(one, `machines[${index}]`));
  if (faults.length > 0) return { faults };
  const machines = given.filter(isObject).map(machineOf);
  const twice = repeated(machines);
  return twice.length > 0 ? { faults: twice } : { machines };
};

/** Finds a Node's machine: by the providerID, or else by the name of the Node. */
export const machineFinder = (machines: readonly Instance[]) => {
  const byId = new Map(machines.map((machine) => [machine.providerId, machine]));
  const byName = new Map(machines.map((machine) => [machine.nodeName ?? '', machine]));
  return (nodeName: string, providerId: string | undefined): Instance | undefined =>
    providerId ? byId.get(providerId) : byName.get(nodeName);
};
