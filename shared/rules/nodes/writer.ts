/**
 * Who writes an object: the control plane itself, or a client of the API; `node` is a client that has the credentials of
 * a node.
 */
export type Writer = 'client' | 'node' | 'controller';
