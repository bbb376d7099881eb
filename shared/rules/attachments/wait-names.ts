/** Names of what is stored about the volumes of nodes. Neither names of nodes nor of anything else have a blank. */

/** Between the name of a node and the rest. */
export const SEPARATOR = ' ';
/** In the place of a uid: the pods have been told that their volume is at another node. */
export const TOLD = 'told';

/** The name of what is stored about a node and a VolumeAttachment, or about what the node waits for. */
export const storedName = (nodeName: string, what: string): string => `${nodeName}${SEPARATOR}${what}`;

/** What a node waits for: the volume with this name. */
export const waitForVolume = (name: string): string => `volume/${name}`;
