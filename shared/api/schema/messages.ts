/** The messages of the served groups: field number → name and type, as published with Kubernetes 1.37's `generated.proto`. */
import messages from './messages.json' with { type: 'json' };

/** A field by its number: `[name, type]`, `[name, type, 'repeated']` or `[name, 'map', type of the values]`. */
export type MessageField = readonly [name: string, type: string, modifier?: string];
export type Message = Readonly<Record<string, MessageField>>;

const MESSAGES = messages as unknown as Readonly<Record<string, Message>>;

/** `undefined` for scalars and names that are no message. */
export const messageOf = (name: string): Message | undefined =>
  Object.hasOwn(MESSAGES, name) ? MESSAGES[name] : undefined;

const INLINED: ReadonlySet<string> = new Set([
  'core.v1.EphemeralContainer.ephemeralContainerCommon',
  'core.v1.PersistentVolumeSpec.persistentVolumeSource',
  'core.v1.Probe.handler',
  'core.v1.Volume.volumeSource',
]);

/** Whether the fields of this field's message stand beside it in JSON: an embedded struct in Go. */
export const isInlined = (message: string, field: string): boolean =>
  field === 'localObjectReference' || INLINED.has(`${message}.${field}`);

/** Messages that are one list in JSON. */
export const isListMessage = (message: string): boolean => message.endsWith('.ExtraValue');
