/** The explanation of the node that is open: asked for when the node is opened, and again when its object changes. */

import type { DashboardApi } from '../../dashboard/server/live/api.ts';
import type { Node } from '../../shared/kube/types/core.ts';

export interface ExplanationsDeps {
  readonly api: Pick<DashboardApi, 'get'>;
  readonly explained: (body: string) => readonly string[];
  readonly onChange: () => void;
}

/** One request for each state of a node that somebody looks at, and none for others: an explanation reads several items. */
export const createExplanations = ({ api, explained, onChange }: ExplanationsDeps) => {
  let asked = '';
  let lines: readonly string[] = [];

  const ask = async (key: string, name: string): Promise<void> => {
    let answer: readonly string[];
    try {
      const { status, text } = await api.get(`/api/v1/nodes/${encodeURIComponent(name)}/explain`);
      answer = status === 200 ? explained(text) : [`the API answered ${status}`];
    } catch (error) {
      answer = [`the API does not answer: ${error instanceof Error ? error.message : String(error)}`];
    }
    if (asked !== key) return;
    lines = answer;
    onChange();
  };

  return {
    of: ({ metadata }: Node): readonly string[] => {
      const key = `${metadata.uid} ${metadata.resourceVersion}`;
      if (key !== asked) {
        if (!asked.startsWith(`${metadata.uid} `)) lines = ['asking'];
        asked = key;
        void ask(key, metadata.name);
      }
      return lines;
    },
  };
};
