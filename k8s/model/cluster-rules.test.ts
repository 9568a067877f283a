import { describe, expect, it } from '@jest/globals';
import { parseClusterRules } from './cluster-rules.ts';

const parse = (text: string) => parseClusterRules({ conditions: text }, 'conditions');

describe('the rules of the cluster', () => {
  it('are the items of the ConfigMap; a bare True of YAML is a truth, and the status True', () => {
    const text = 'items:\n- name: NetworkUnavailable \n  timeout: 5m\n  status: True\n';
    expect(parse(text)).toEqual({
      rules: [{ type: 'NetworkUnavailable', statuses: ['True'], timeoutMs: 300_000 }],
    });
  });

  it('are one where only the status differs', () => {
    const text = `items:
      - {name: Ready, timeout: 40s, status: Unknown}
      - {name: Ready, timeout: 40s, status: "False"}
      - {name: Ready, timeout: 80s, status: false}`;
    expect(parse(text)).toEqual({
      rules: [
        { type: 'Ready', statuses: ['False', 'Unknown'], timeoutMs: 40_000 },
        { type: 'Ready', statuses: ['False'], timeoutMs: 80_000 },
      ],
    });
  });

  it('are none where the list is empty', () => {
    expect(parse('items: []')).toEqual({ rules: [] });
  });

  it('cannot be read where the ConfigMap has them under no key, or another one', () => {
    expect(parseClusterRules({ condition: 'items: []' }, 'conditions')).toEqual({
      problem: "it has no key 'conditions'",
    });
  });

  it.each<[string, string]>([
    ['', "the value of its key 'conditions' has no list 'items'"],
    ['items: {}', "the value of its key 'conditions' has no list 'items'"],
    ['rules: []', "the value of its key 'conditions' has no list 'items'"],
    ['items: [', "the value of its key 'conditions' is no YAML: "],
    ['items: []\nitems: []', "the value of its key 'conditions' is no YAML: Map keys must be unique"],
    ['items: [Ready]', 'items.0 is no map of name, timeout and status'],
    ['items: [{timeout: 5m, status: True}]', 'items.0.name is missing'],
    ['items: [{name: Ready, status: False}]', 'items.0.timeout is missing'],
    ['items: [{name: Ready, timeout: 300, status: False}]', 'items.0.timeout is missing, or no text'],
    [
      'items: [{name: Ready, timeout: 5 minutes, status: False}]',
      "items.0.timeout is '5 minutes', which is no duration",
    ],
    ['items: [{name: Ready, timeout: 5m}]', 'items.0.status is missing'],
    ['items: [{name: Ready, timeout: 5m, status: Bad}]', "items.0.status is 'Bad', which is none of"],
  ])('cannot be read from %j', (text, problem) => {
    const read = parse(text);
    expect(read).toEqual({ problem: expect.stringContaining(problem) });
    // A sentence follows it, after a colon.
    expect(read).toEqual({ problem: expect.stringMatching(/[^:]$/) });
  });
});
