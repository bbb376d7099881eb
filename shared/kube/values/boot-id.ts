import { isObject } from '../json/json-object.ts';
import type { Node } from '../types/core.ts';

/** The boot in which the machine of the Node is, by its own word; `''`: it has not said so. */
export const bootIdOf = (node: Node | undefined): string => {
  const info = node?.status?.['nodeInfo'];
  const id = isObject(info) ? info['bootID'] : undefined;
  return typeof id === 'string' ? id : '';
};
