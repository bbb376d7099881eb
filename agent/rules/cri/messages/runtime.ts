/** Messages about the runtime itself. Source of names and numbers: Container Runtime Interface `runtime.v1`. */
import { bool, type Message, message, messages, oneOf, text, textMap } from '../wire/describe.ts';

export const Nothing = {};

export const VersionRequest = { version: text(1) };
export const VersionResponse = {
  version: text(1),
  runtimeName: text(2),
  runtimeVersion: text(3),
  runtimeApiVersion: text(4),
};

export const StatusRequest = { verbose: bool(1) };
export const StatusResponse = {
  status: message(1, {
    conditions: messages(1, { type: text(1), status: bool(2), reason: text(3), message: text(4) }),
  }),
  info: textMap(2),
  runtimeHandlers: messages(3, {
    name: text(1),
    features: message(2, { recursiveReadOnlyMounts: bool(1), userNamespaces: bool(2) }),
  }),
  features: message(4, { supplementalGroupsPolicy: bool(1) }),
};
export type StatusResponse = Message<typeof StatusResponse>;

export const UpdateRuntimeConfigRequest = {
  runtimeConfig: message(1, { networkConfig: message(1, { podCidr: text(1) }) }),
};

export const RuntimeConfigResponse = {
  linux: message(1, { cgroupDriver: oneOf(1, ['SYSTEMD', 'CGROUPFS']) }),
};
