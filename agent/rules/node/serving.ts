/** What a Node says about the server of its agent. */
import { SERVING_CERTIFICATE_ANNOTATION } from '../../../shared/rules/streams/serving-certificate.ts';

export interface Serving {
  readonly port: number;
  /** The SHA-256 of the certificate (DER) in lower hexadecimal. */
  readonly fingerprint: string;
}

type Annotations = Readonly<Record<string, string>>;

/** The Node's annotations with that of its server; `undefined`: they stay as they are. */
export const withServing = (
  annotations: Annotations | undefined,
  serving: Serving | undefined,
): Annotations | undefined => {
  const { [SERVING_CERTIFICATE_ANNOTATION]: known, ...others } = annotations ?? {};
  if (known === serving?.fingerprint) return undefined;
  return serving ? { ...others, [SERVING_CERTIFICATE_ANNOTATION]: serving.fingerprint } : others;
};
