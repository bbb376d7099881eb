/** How DaemonSets name their revisions. Source: kubernetes v1.34 pkg/controller/daemon `snapshot`. */
import type { RevisionNaming } from '../revisions/controller-revisions.ts';
import { templateHash } from '../revisions/template-hash.ts';
import { HASH_LABEL } from './daemon-pod.ts';

/** By the hash that a Deployment would give to the template (W-101). Pods have it as the same label. */
export const DAEMON_SET_REVISIONS: RevisionNaming = { label: HASH_LABEL, hashOf: templateHash };
