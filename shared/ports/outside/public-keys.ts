import type { EpochMs } from '../../kube/values/time.ts';

/** The public halves of the cluster's keys, as who may sign shows them to who only verifies. */
export interface PublicKeySet {
  /** Id of the key that signs new tokens. */
  readonly current: string;
  /** `x` of each valid key (`PublicKey`), by its id. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Where the public keys are shown. */
export interface PublicKeys {
  /** The set that was published last; `undefined` if there is none yet. */
  read(): Promise<PublicKeySet | undefined>;
  /** Replaces a set whose secrets were stored before `storedAt` (ms); an equal or later one stays. */
  publish(set: PublicKeySet, storedAt: EpochMs): Promise<void>;
}
