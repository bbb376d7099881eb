import type { Node } from '../types/core.ts';

/** The boot in which the machine of the Node is, by its own word; `''`: it has not said so. */
export const bootIdOf = (node: Node | undefined): string => {
  const info = node?.status?.['nodeInfo'] as { readonly bootID?: unknown } | null | undefined;
  return typeof info?.bootID === 'string' ? info.bootID : '';
};
