import { describe, expect, it } from '@jest/globals';
import { asSummary, timerSummary } from './summary.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

describe('a summary', () => {
  it('is as it is where it is short', () => {
    expect(asSummary('launch m5.large in zone-a, attempt 1')).toBe('launch m5.large in zone-a, attempt 1');
  });

  it.each(['a'.repeat(5000), 'ü'.repeat(5000), '😀'.repeat(5000)])('is cut to what Temporal takes', (text) => {
    const summary = asSummary(text);
    expect(new TextEncoder().encode(summary).length).toBeLessThan(350);
    expect(summary.endsWith('…')).toBe(true);
    expect(summary).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });
});

describe('the summary of a timer', () => {
  it('says until when, and why', () => {
    expect(timerSummary(NOW + 180_000, 'Secret default/late does not exist', NOW)).toBe(
      'until 12:03:00 UTC: Secret default/late does not exist',
    );
  });

  it('names the day where it is another one', () => {
    expect(timerSummary(NOW + 86_400_000, 'x', NOW)).toBe('until 2026-01-02 12:00:00 UTC: x');
  });
});
