import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { KubeClient } from '../k8s/client.ts';
import { isAlreadyExists, isPassing } from '../k8s/kube-error.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { EVENTS } from '../k8s/resources.ts';
import { timestamp, type Clock } from '../providers/clock.ts';
import type { ObjectEvent } from '../workflows/event-activities.ts';

/** Shows what happened beside an object, as `kubectl describe` lists it. */
export interface EventRecorder {
  /**
   * Never fails: what could not be sent is logged.
   *
   * @param which tells it from others that say the same: with this it is shown once, however often it is recorded. @default each is shown
   */
  record(ref: ObjectRef, event: ObjectEvent, which?: string): Promise<void>;
  /**
   * The same, for what somebody has to hear of: fails where the API server could not take it now, so that it is tried again. It is
   * shown once, however often it is tried. What the API server refuses is logged.
   */
  insist(ref: ObjectRef, event: ObjectEvent): Promise<void>;
}

/** Kubernetes cuts longer messages off. */
const LONGEST_MESSAGE = 1024;

export function createEventRecorder(kube: KubeClient, clock: Clock, log: Logger): EventRecorder {
  return {
    async record(ref, event, which) {
      const now = timestamp(clock);
      try {
        await send(ref, event, now, which ?? now);
      } catch (error) {
        tell(ref, event, error);
      }
    },

    async insist(ref, event) {
      try {
        await send(ref, event, timestamp(clock), 'once');
      } catch (error) {
        if (isPassing(error)) throw error;
        tell(ref, event, error);
      }
    },
  };

  /** @param which tells it from others that say the same */
  async function send(ref: ObjectRef, event: ObjectEvent, now: string, which: string): Promise<void> {
    const digest = createHash('sha256').update(`${ref.uid}${event.reason}${event.message}${which}`).digest('hex');
    const body = {
      apiVersion: EVENTS.apiVersion,
      kind: EVENTS.kind,
      metadata: { name: `${ref.name.slice(0, 200)}.${digest.slice(0, 16)}`, namespace: ref.namespace },
      involvedObject: ref,
      type: event.type,
      reason: event.reason,
      message: event.message.slice(0, LONGEST_MESSAGE),
      source: { component: 'millwright' },
      reportingComponent: 'millwright',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
    try {
      await kube.create(EVENTS, ref.namespace, body);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  function tell(ref: ObjectRef, event: ObjectEvent, error: unknown): void {
    log.warn({ object: ref, event, error: String(error) }, 'event could not be sent');
  }
}
