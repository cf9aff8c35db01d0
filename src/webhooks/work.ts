/** The kind of work under which the instance notes projects that have webhooks. */
export const webhookWork = 'webhooks';
