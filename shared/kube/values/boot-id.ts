import type { Node } from '../types/core.ts';

/** The boot in which the machine of the Node is, by its own word; `''`: it has not said so, or not in 128 plain characters: messages carry it. */
export const bootIdOf = (node: Node | undefined): string => {
  const info = node?.status?.['nodeInfo'] as { readonly bootID?: string } | null | undefined;
  return /^[\w.-]{1,128}$/.exec(info?.bootID ?? '')?.[0] ?? '';
};
