/** The image of the sandboxes, as containerd tells its own configuration. Other runtimes pin it. */
import { isObject } from '../../../shared/kube/json/json-object.ts';

/** `config`: the JSON that containerd 1 and 2 have in the verbose answer about their status. */
export const sandboxImages = (config: string): readonly string[] => {
  let read: unknown;
  try {
    read = JSON.parse(config);
  } catch {
    return [];
  }
  if (!isObject(read)) return [];
  const pinned = isObject(read['pinnedImages']) ? read['pinnedImages']['sandbox'] : undefined;
  return [read['sandboxImage'], pinned].filter(
    (name): name is string => typeof name === 'string' && name !== '',
  );
};
