import { describe, expect, it } from '@jest/globals';
import { issueNames } from './issue-names.ts';

describe('names for new Machines', () => {
  it('begin with the set’s name and differ from each other', () => {
    const names = issueNames('workers', 200);
    expect(new Set(names).size).toBe(200);
    for (const name of names) expect(name).toMatch(/^workers-[a-z0-9]{6}$/);
  });

  it('fit a label value, however long the set’s name is', () => {
    const [name = ''] = issueNames('w'.repeat(253), 1);
    expect(name).toHaveLength(63);
    expect(name).toMatch(/^w+-[a-z0-9]{6}$/);
  });
});
