import type { ApiSession, RequestOptions } from '../../../../../agent/adapters/api/session.ts';

export interface Sent extends RequestOptions {
  readonly method: string;
  readonly path: string;
}

interface Given {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answers = readonly (Given | Error)[];

/** Answers with `answers`, one after the other; an `Error` means that there is no answer. */
export const fakeSession = (...answers: Answers) => {
  const sent: Sent[] = [];
  const session: ApiSession = {
    reset: () => undefined,
    request: async (method, path, options = {}) => {
      const given = answers[sent.length] ?? {};
      sent.push({ method, path, ...options });
      if (given instanceof Error) throw given;
      const { status = 200, body = {}, headers = {} } = given;
      return { status, body, headers: { ...headers } };
    },
  };
  return { session, sent };
};
