//! The driver of one iPhone: each operation of the contract, handed to the module that knows how it is done.
//!
//! It knows whether it is connected; what was learned of the phone lives and ends with the session, but for its habits.

use crate::{
    apps, clipboard, device, habits::Habits, phone::Phone, screen, session, session::Session, stream::Stream, text,
    touch, tree,
};
use driver_api::{
    Alert, App, AppList, Button, DeviceState, Driver, Error, ErrorKind, Feature, Finger, Frame, Launch, Node,
    Orientation, Picture, Point, Result, Screen, Swipe, Tree,
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Hands and eyes on one iPhone.
#[derive(Debug)]
pub struct WdaDriver {
    phone: Arc<Phone>,
    session: Mutex<Option<Arc<Session>>>,
    stream: Arc<Stream>,
    habits: Habits,
}

impl WdaDriver {
    /// A driver that has not spoken to the phone yet.
    pub(crate) fn new(phone: Phone) -> Self {
        let stream = Arc::new(Stream::new(phone.stream()));
        WdaDriver { phone: Arc::new(phone), session: Mutex::default(), stream, habits: Habits::default() }
    }

    fn session(&self) -> Result<Arc<Session>> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).clone();
        session.ok_or_else(|| Error::new(ErrorKind::NotConnected, "the iPhone is not connected"))
    }

    fn replace(&self, session: Option<Session>) -> Option<Arc<Session>> {
        let mut place = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, session.map(Arc::new))
    }
}

impl Driver for WdaDriver {
    fn features(&self) -> Vec<Feature> {
        vec![
            Feature::LongPress,
            Feature::DoubleTap,
            Feature::Gesture,
            Feature::PressButton,
            Feature::Apps,
            Feature::ActiveApp,
            Feature::OpenUrl,
            Feature::Alert,
            Feature::AnswerAlert,
            Feature::Orientation,
            Feature::SetOrientation,
            Feature::Clipboard,
            Feature::SetClipboard,
            Feature::HideKeyboard,
            Feature::ScreenInfo,
            Feature::DeviceInfo,
            Feature::ElementAtFocus,
            Feature::Frames,
        ]
    }

    async fn connect(&self) -> Result<()> {
        // Whatever stood before is forgotten, so that a second connect behaves as the first. Making the new session ends
        // the old one on the phone.
        self.replace(None);
        let session = Session::connect(&self.phone).await?;
        self.replace(Some(session));
        Ok(())
    }

    async fn disconnect(&self) -> Result<()> {
        self.stream.stop();
        self.habits.forget();
        if let Some(session) = self.replace(None) {
            session.end().await;
        }
        Ok(())
    }

    async fn probe(&self) -> Result<()> {
        session::probe(&self.phone).await
    }

    async fn screenshot(&self) -> Result<Picture> {
        screen::screenshot(&*self.session()?).await
    }

    async fn frames(&self, after: u64) -> Result<Frame> {
        let session = self.session()?;
        self.stream.frame(after, || screen::screenshot(&session)).await
    }

    async fn tap(&self, at: Point) -> Result<()> {
        touch::tap(&*self.session()?, at).await
    }

    async fn double_tap(&self, at: Point) -> Result<()> {
        touch::double_tap(&*self.session()?, at).await
    }

    async fn long_press(&self, at: Point, hold: Duration) -> Result<()> {
        touch::long_press(&*self.session()?, at, hold).await
    }

    async fn swipe(&self, swipe: Swipe) -> Result<()> {
        touch::swipe(&*self.session()?, swipe).await
    }

    async fn gesture(&self, fingers: Vec<Finger>) -> Result<()> {
        touch::gesture(&*self.session()?, fingers).await
    }

    async fn input(&self, text: &str) -> Result<()> {
        text::input(&*self.session()?, text).await
    }

    async fn element_at_focus(&self) -> Result<Option<Node>> {
        text::element_at_focus(&*self.session()?).await
    }

    async fn hide_keyboard(&self) -> Result<()> {
        device::hide_keyboard(&*self.session()?).await
    }

    async fn launch(&self, launch: Launch) -> Result<App> {
        apps::launch(&*self.session()?, launch).await
    }

    async fn terminate(&self, app: &str) -> Result<bool> {
        apps::terminate(&*self.session()?, app).await
    }

    async fn apps(&self) -> Result<AppList> {
        apps::list(&*self.session()?).await
    }

    async fn active_app(&self) -> Result<App> {
        apps::active(&*self.session()?).await
    }

    async fn open_url(&self, url: &str) -> Result<()> {
        device::open_url(&*self.session()?, url).await
    }

    async fn tree(&self) -> Result<Tree> {
        let session = self.session()?;
        tree::tree(&session, &self.habits).await
    }

    async fn home(&self) -> Result<()> {
        device::home(&*self.session()?).await
    }

    async fn lock(&self) -> Result<()> {
        device::lock(&*self.session()?).await
    }

    async fn unlock(&self) -> Result<()> {
        device::unlock(&*self.session()?).await
    }

    async fn press_button(&self, button: Button) -> Result<()> {
        device::press(&*self.session()?, button).await
    }

    async fn alert(&self) -> Result<Option<Alert>> {
        device::alert(&*self.session()?).await
    }

    async fn answer_alert(&self, button: &str) -> Result<()> {
        device::answer_alert(&*self.session()?, button).await
    }

    async fn screen_info(&self) -> Result<Screen> {
        screen::info(&*self.session()?).await
    }

    async fn orientation(&self) -> Result<Orientation> {
        screen::orientation(&*self.session()?).await
    }

    async fn set_orientation(&self, orientation: Orientation) -> Result<()> {
        screen::turn(&*self.session()?, orientation).await
    }

    async fn clipboard(&self) -> Result<String> {
        clipboard::read(&*self.session()?).await
    }

    async fn set_clipboard(&self, text: &str) -> Result<()> {
        clipboard::write(&*self.session()?, text).await
    }

    async fn device_info(&self) -> Result<DeviceState> {
        device::state(&*self.session()?).await
    }
}
