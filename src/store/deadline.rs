//! Giving up on an engine that does not answer.

use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;

use crate::error::Applied;
use crate::store::{StoreError, StoreErrorKind};

/// Waits for `call`, at most until `alarm`. A call that is ready when the alarm goes off has answered.
///
/// A call that is given up is dropped: it must leave the old state or the new one, which of them is for `applied` to say.
///
/// # Errors
/// Those of `call`; [`StoreErrorKind::Timeout`] with `applied` when the alarm came first.
pub async fn within<T, E: From<StoreError>>(
    call: impl Future<Output = Result<T, E>>,
    alarm: impl Future<Output = ()>,
    applied: Applied,
) -> Result<T, E> {
    let (mut call, mut alarm) = (pin!(call), pin!(alarm));
    poll_fn(|context| {
        if let Poll::Ready(answer) = call.as_mut().poll(context) {
            return Poll::Ready(answer);
        }
        alarm.as_mut().poll(context).map(|()| Err(timeout(applied).into()))
    })
    .await
}

fn timeout(applied: Applied) -> StoreError {
    match applied {
        Applied::No => StoreError::not_applied(StoreErrorKind::Timeout),
        Applied::Unknown => StoreError::maybe_applied(StoreErrorKind::Timeout),
    }
}

#[cfg(test)]
mod tests {
    use core::future::{pending, ready};

    use super::*;

    #[test]
    fn a_call_that_never_answers_is_given_up_by_the_alarm() {
        for applied in [Applied::No, Applied::Unknown] {
            let error =
                pollster::block_on(within(pending::<Result<(), StoreError>>(), ready(()), applied)).unwrap_err();
            assert_eq!((error.kind, error.applied), (StoreErrorKind::Timeout, applied));
        }
    }

    #[test]
    fn a_call_that_is_ready_together_with_the_alarm_has_answered() {
        assert_eq!(pollster::block_on(within(ready(Ok::<_, StoreError>(7)), ready(()), Applied::Unknown)), Ok(7));
    }
}
