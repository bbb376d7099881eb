/** The channel that the control plane wants a node to open, because it cannot connect to it. See docs/machine-protocol.md. */
import { isObject } from '../../../shared/kube/json/json-object.ts';

export interface ChannelCall {
  /** Another one for each channel. */
  readonly id: string;
  /** Where to connect to; absent: the API. */
  readonly url?: string;
  /** The SHA-256 of the certificate that is shown there (DER, lower hexadecimal); absent: as at the API. */
  readonly certificate?: string;
}

const FINGERPRINT = /^[0-9a-f]{64}$/;

/** `undefined`: none is wanted, or it is not understood. A token is never sent in the clear to a gateway. */
export const channelCallIn = (given: unknown): ChannelCall | undefined => {
  const { id, url, certificate } = isObject(given) ? given : {};
  if (typeof id !== 'string' || id === '') return undefined;
  if (url === undefined) return { id };
  const isGateway =
    typeof url === 'string' &&
    URL.parse(url)?.protocol === 'https:' &&
    typeof certificate === 'string' &&
    FINGERPRINT.test(certificate);
  return isGateway ? { id, url, certificate } : undefined;
};
