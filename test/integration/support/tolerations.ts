const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';

const toleration = (key: string, seconds: number | undefined) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
});

/** Of a pod that stays on a lost node for this many seconds; `undefined`: for ever. */
export const tolerating = (seconds: number | undefined) => [
  toleration(NOT_READY, seconds),
  toleration(UNREACHABLE, seconds),
];
